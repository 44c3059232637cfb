import { type Diagnostic, error, fail } from '../diagnostics/diagnostic.js';
import { integerRange } from '../dialects/integer.js';
import type { Scalar } from '../kernel/dialect.js';
import type { Buffer, TypedArray } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import { type ScalarType, isFloat, isWide, scalarOf } from '../kernel/type.js';
import { allocateBuffers } from '../kernel/typed-array.js';
import type { FilRun, FilValues } from './fil-test.js';

/** The memory and the scalar arguments that a run starts with: what it gives, zeros elsewhere. Throws `DiagnosticError` `fil-test/values`. */
export const prepareRun = (
  module: Module,
  run: FilRun,
): { readonly buffers: Readonly<Record<string, TypedArray>>; readonly args: readonly Scalar[] } => {
  const buffers = allocateBuffers(module.buffers);
  for (const given of run.buffers) {
    const buffer = declared(module, given, run);
    if (buffer.role === 'const' || buffer.role === 'scratch')
      fail('fil-test/values', `buffer @${buffer.name} is ${buffer.role}`, { loc: run.loc });
    given.values.forEach((text, i) => (buffers[buffer.name][i] = toElement(parseScalar(text, buffer.type, run))));
  }
  const kernel = module.kernels.find((k) => k.name === run.kernel);
  const args = run.args.map((text, i) => {
    const param = kernel?.params[i] ?? fail('fil-test/values', `argument ${i + 1} has no parameter`, { loc: run.loc });
    return parseScalar(text, scalarOf(param.type), run);
  });
  return { buffers, args };
};

/** Where the buffers after a run differ from what it expects: one `fil-test/result` for each buffer that does. */
export const checkRun = (
  module: Module,
  run: FilRun,
  buffers: Readonly<Record<string, TypedArray>>,
): readonly Diagnostic[] => {
  if ('fails' in run.outcome) return [];
  const { equals, within } = run.outcome;
  return equals.flatMap((want) => {
    const buffer = declared(module, want, run);
    const wanted = want.values.map((text) => toElement(parseScalar(text, buffer.type, run)));
    const got = Array.from((buffers[buffer.name] ?? []) as ArrayLike<number | bigint>);
    const at = wanted.findIndex((w, i) => !close(got[i], w, within));
    if (at < 0) return [];
    const message = `@${buffer.name}[${at}] is ${String(got[at])}, expected ${String(wanted[at])} (whole buffer: [${got.slice(0, 32).join(', ')}])`;
    return [error('fil-test/result', message, { loc: run.loc })];
  });
};

const close = (got: number | bigint, want: number | bigint, within: number): boolean => {
  if (typeof got !== 'number' || typeof want !== 'number') return got === want;
  return (
    Object.is(got, want) || (within === 0 ? got === want : Math.abs(got - want) <= within * Math.max(1, Math.abs(want)))
  );
};

const declared = (module: Module, values: FilValues, run: FilRun): Buffer => {
  const buffer = module.buffers.find((b) => b.name === values.buffer);
  if (!buffer) return fail('fil-test/values', `there is no buffer @${values.buffer}`, { loc: run.loc });
  if (buffer.length !== values.values.length)
    fail(
      'fil-test/values',
      `buffer @${buffer.name} has length ${buffer.length}, ${values.values.length} values stand here`,
      { loc: run.loc },
    );
  return buffer;
};

const parseScalar = (text: string, type: ScalarType, run: FilRun): Scalar => {
  const refuse = (): never => fail('fil-test/values', `'${text}' is no ${type}`, { loc: run.loc });
  if (type === 'i1')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : refuse();
  if (isFloat(type)) {
    const x = text === 'nan' ? NaN : /^-?inf$/.test(text) ? Number(text.replace('inf', 'Infinity')) : Number(text);
    if (text === '' || (Number.isNaN(x) && text !== 'nan')) return refuse();
    return type === 'f32' ? Math.fround(x) : x;
  }
  if (!/^-?[0-9]+$/.test(text)) return refuse();
  const [min, max] = integerRange(type);
  const exact = BigInt(text);
  if (exact < min || exact > max) return refuse();
  return isWide(type) ? exact : Number(exact);
};

const toElement = (x: Scalar): number | bigint => (typeof x === 'boolean' ? Number(x) : x);
