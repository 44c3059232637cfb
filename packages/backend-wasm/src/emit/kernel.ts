import { workOf } from '@filigree/opt';
import { exportName } from '../memory/export-name.js';
import { type Buffers, type Kernel, type Op, type Region, type Value, scalarOf } from '@filigree/ir';
import { type MemoryLayout, controlBlock } from '../memory/layout.js';
import { Context } from './context.js';
import { controlOf } from './core-ops.js';
import { bindCarried, kept, readCaptures, writeFork } from './control-ops.js';
import { apply, constant } from './expr.js';
import { type Facts, factsOf } from './facts.js';
import { FunctionBuilder } from './function-builder.js';
import type { ModuleContext } from './module-context.js';
import { type OutlinedLoop, outline } from './outline.js';
import { planOf } from './plan.js';
import { writeOp } from './write-op.js';
import { wasmType } from './wasm-type.js';

/** The functions of a kernel: its body, exported as `k:NAME`, and one for each parallel loop, in the order of their table indices. */
export interface KernelText {
  readonly body: string;
  readonly loops: readonly { readonly name: string; readonly text: string }[];
}

/** Writes a kernel. `firstLoop` is the table index of its first parallel loop. */
export const writeKernel = (
  kernel: Kernel,
  buffers: Buffers,
  layout: MemoryLayout,
  module: ModuleContext,
  firstLoop: number,
): KernelText => {
  const facts = factsOf(kernel, buffers);
  const { body, loops } = outline(kernel);
  const captureAt = layout.control + controlBlock.captures;
  const fork = (c: Context, op: Op): void => {
    const k = Number(op.attrs.loop);
    const { loop } = loops[k];
    const work = workOf(loop.regions[0], { control: controlOf, constantOf: facts.constantInteger });
    writeFork(c, op, { index: firstLoop + k, work, captureAt, attrs: loop.attrs });
  };
  const loopName = (k: number): string => `${functionName(kernel.name)}~loop${k}`;
  return {
    body: writeBody(kernel, body, facts, layout, module, fork),
    loops: loops.map((l, k) => ({
      name: loopName(k),
      text: writeLoop(loopName(k), l, facts, layout, module, captureAt),
    })),
  };
};

/** A kernel's function; no helper has a name like it. */
const functionName = (kernel: string): string =>
  `$kernel.${kernel.replace(/[^A-Za-z0-9_.]/g, (ch) => `~${ch.charCodeAt(0).toString(16)}~`)}`;

/** A string literal of the text format, in ASCII. */
const watString = (text: string): string =>
  `"${Array.from(new TextEncoder().encode(text), (b) => (b > 0x20 && b < 0x7f && b !== 0x22 && b !== 0x5c ? String.fromCharCode(b) : `\\${b.toString(16).padStart(2, '0')}`)).join('')}"`;

const writeBody = (
  kernel: Kernel,
  body: Region,
  facts: Facts,
  layout: MemoryLayout,
  module: ModuleContext,
  fork: (c: Context, op: Op) => void,
): string => {
  const b = new FunctionBuilder();
  const region = { params: kernel.params, ops: body.ops };
  const c = new Context(b, planOf(region, facts, layout), module, { op: writeOp, fork });
  const params = kernel.params.map((p) => b.parameter(wasmType(scalarOf(p.type)), p.hint ?? 'p'));
  bindCarried(c, kernel.params, params);
  c.write(body.ops.slice(0, -1));
  const signature = params.map((l) => ` (param ${l.name} ${l.type})`).join('');
  return b.finish(`(func ${functionName(kernel.name)} (export ${watString(exportName(kernel.name))})${signature}`);
};

/* A chunk is never empty, so the loop is entered without a question. */
const writeLoop = (
  name: string,
  l: OutlinedLoop,
  facts: Facts,
  layout: MemoryLayout,
  module: ModuleContext,
  captureAt: number,
): string => {
  const b = new FunctionBuilder();
  const [lb, , step] = l.loop.operands;
  const range: Op = { ...l.loop, operands: [lb, step], name: 'wasm.range' };
  const region: Region = { params: l.captures, ops: [...l.constants, range] };
  const c = new Context(b, planOf(region, withinLoop(facts, l), layout), module, {
    op: writeOp,
    fork: () => undefined,
  });
  const [from, to] = ['from', 'to'].map((n) => b.parameter('i64', n));
  readCaptures(c, l.captures, captureAt);
  c.write(l.constants);

  const [induction] = range.regions[0].params;
  const [first, by] = [lb, step].map((v: Value) => c.use(v).exprs[0]);
  const t = first.type;
  const narrow = (local: typeof from) => (t === 'i32' ? apply('i32', 'i32.wrap_i64', b.get(local)) : b.get(local));
  const zero = first.constant !== undefined && BigInt(first.constant) === 0n;
  const unit = by.constant !== undefined && BigInt(by.constant) === 1n;
  const [firstA, firstB] = unit && !zero ? b.share(first, 2) : [first, first];
  const at = (local: typeof from, start: typeof first) =>
    zero ? narrow(local) : apply(t, `${t}.add`, start, narrow(local));

  const i = b.local(t, Infinity, induction.hint ?? 'i');
  const label = b.label();
  if (unit) {
    const end = b.local(t, Infinity, 'end');
    b.set(i, at(from, firstA));
    b.set(end, at(to, firstB));
    b.open(`(loop ${label}`);
    writeIteration(c, range, i);
    b.set(i, apply(t, `${t}.add`, b.get(i), constant(t, t === 'i64' ? 1n : 1)));
    b.statement(apply('void', `br_if ${label}`, apply('i32', `${t}.lt_s`, b.get(i), b.get(end))));
  } else {
    const stride = kept(c, by);
    const ahead = apply(t, `${t}.mul`, narrow(from), stride.read());
    b.set(i, zero ? ahead : apply(t, `${t}.add`, first, ahead));
    b.open(`(loop ${label}`);
    writeIteration(c, range, i);
    b.set(i, apply(t, `${t}.add`, b.get(i), stride.read()));
    b.set(from, apply('i64', 'i64.add', b.get(from), constant('i64', 1n)));
    b.statement(apply('void', `br_if ${label}`, apply('i32', 'i64.lt_s', b.get(from), b.get(to))));
  }
  b.close();
  return b.finish(`(func ${name} (type $range) (param ${from.name} i64) (param ${to.name} i64)`);
};

/** Facts for a loop's own function: what a captured value was made of stays behind in the kernel, so an address ends at it. */
const withinLoop = (facts: Facts, { captures }: OutlinedLoop): Facts => {
  const captured = new Set(captures.map((v) => v.id));
  return { ...facts, definition: (v) => (captured.has(v.id) ? undefined : facts.definition(v)) };
};

const writeIteration = (c: Context, range: Op, i: Parameters<typeof bindCarried>[2][number]): void => {
  bindCarried(c, [range.regions[0].params[0]], [i]);
  c.write(range.regions[0].ops.slice(0, -1));
};
