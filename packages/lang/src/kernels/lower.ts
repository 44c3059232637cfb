import { rare } from '#rare';
import * as E from 'fp-ts/lib/Either.js';
import {
  checkOptions,
  combined,
  coreDialects,
  derivative,
  DiagnosticError,
  error,
  isInteger,
  option,
  orLeft,
  type Attrs,
  type Buffer,
  type Diagnostics,
  type Extension,
  type Kernel,
  type Module,
  type OptionSpec,
  type ScalarType,
} from '@filigree/ir';
import { fieldDialect, layoutTree, type Layout } from '@filigree/sparse/fields';
import { checkWords } from './extension.js';
import type { Sides } from './arguments.js';
import { floatOf, type KernelDef } from './kernel.js';
import { someInstruction, type Instruction } from './code/code.js';
import type { WholeVariables } from './code/whole.js';
import { noteBuffers, type Notes } from './notes.js';
import { elaborate, type Elaborated } from './elaborate/elaborate.js';
import type { TableUse } from './elaborate/context/session.js';
import { emitKernel } from './emit/emit.js';
import { structure } from './emit/structure.js';
import { tableBuffers } from './emit/table.js';
import { raceWarnings } from './race.js';
import { checkTypes } from './types/check.js';
import { inferTypes, type FloatType, type Types } from './types/infer.js';
import { unassignedReads } from './types/unassigned.js';

/** How a kernel is launched. */
export interface KernelSignature {
  /** Launch arguments in the order of the function's parameters, without the fields. */
  readonly launch: readonly LaunchParam[];
  /** What the kernel returns, and the buffer that holds it: of length 1, or of a vector or matrix its elements, row by row; of an object its numbers, by `names`. */
  readonly result:
    | {
        readonly type: ScalarType;
        readonly buffer: string;
        readonly shape?: Sides;
        readonly names?: readonly string[];
      }
    | undefined;
  /** What the kernel prints and asserts, where it is debugged. */
  readonly notes?: Notes;
  /** Whether the last parameter is the hidden seed of random numbers, a u32. */
  readonly seed: boolean;
  /** `lang/race`: accesses of parallel loops whose outcome may depend on the order of iterations. */
  readonly warnings: Diagnostics;
}

/** An argument of a launch. The kernel receives an array's length, an i32; its elements are in `buffer`. */
export type LaunchParam =
  | { readonly is: 'scalar'; readonly name: string; readonly type: ScalarType; readonly default?: readonly string[] }
  /** A vector or matrix, of which the kernel receives the elements, row by row. */
  | {
      readonly is: 'shaped';
      readonly name: string;
      readonly type: ScalarType;
      readonly shape: Sides;
      /** The numbers that it has where a launch leaves it out, as text. */
      readonly default?: readonly string[];
    }
  | {
      readonly is: 'array';
      readonly name: string;
      readonly type: ScalarType;
      readonly maxLength: number;
      readonly buffer: string;
    };

/** How kernels are lowered. */
export interface LowerChoices {
  /** Whether derivatives that functions are given (`withGradient`) are kept, as ops of the dialect `derivative`; default false. */
  readonly derivatives?: boolean;
  /** Whether `print` and `assert` are compiled, into notes for the host; default false. With `derivatives` they are not. */
  readonly debug?: boolean;
}

const lowerSpec: OptionSpec<LowerChoices> = { derivatives: option.truth, debug: option.truth };

/** A kernel as kernel IR, with the buffers that it brings. */
export interface LoweredKernel {
  readonly kernel: Kernel;
  /** Arrays (inout), the result (output), accumulators (temp), tables (const). */
  readonly buffers: readonly Buffer[];
  readonly signature: KernelSignature;
}

/**
 * Kernel IR of a kernel: core dialects and `field`. Problems are diagnostics `lang/…` with the place in the source:
 * as many as can be found at once.
 *
 * @param extensions those whose words the kernel may say; what `combine` reports of them is reported
 */
export const lowerKernel = (
  def: KernelDef,
  layout: Layout,
  extensions: readonly Extension[] = [],
  choices: LowerChoices = {},
): E.Either<Diagnostics, LoweredKernel> => {
  return orLeft(() => lower(def, layout, extensions, checkOptions('lowerKernel', choices, lowerSpec)));
};

/** Kernels as one module. */
export interface LoweredKernels {
  readonly module: Module;
  readonly signatures: Readonly<Record<string, KernelSignature>>;
}

/** A module of several kernels, each called by its key. Problems of all of them are reported together. */
export const lowerKernels = (
  defs: Readonly<Record<string, KernelDef>>,
  layout: Layout,
  name = 'kernels',
  extensions: readonly Extension[] = [],
  choices: LowerChoices = {},
): E.Either<Diagnostics, LoweredKernels> => {
  const checked = orLeft(() => checkOptions('lowerKernels', choices, lowerSpec));
  if (E.isLeft(checked)) return checked;
  const lowered = Object.entries(defs).map(
    ([key, def]) => [key, lowerKernel({ ...def, name: key }, layout, extensions, choices)] as const,
  );
  const problems = lowered.flatMap(([, result]) => (E.isLeft(result) ? result.left : []));
  if (problems.length > 0) return E.left(problems);
  const kernels = lowered.flatMap(([key, result]) => (E.isRight(result) ? [[key, result.right] as const] : []));
  return E.right({
    module: {
      name,
      layout: layoutTree(layout),
      buffers: kernels.flatMap(([, k]) => k.buffers),
      kernels: kernels.map(([, k]) => k.kernel),
      attrs: {},
    },
    signatures: Object.fromEntries(kernels.map(([key, k]) => [key, k.signature])),
  });
};

const lower = (
  def: KernelDef,
  layout: Layout,
  extensions: readonly Extension[],
  { derivatives = false, debug = false }: LowerChoices,
): LoweredKernel => {
  const { dialects: theirs = [] } = combined(extensions);
  const dialects = [
    ...coreDialects,
    fieldDialect(layout),
    derivative,
    ...theirs.filter((d) => !coreDialects.includes(d)),
  ];
  checkWords(extensions, dialects);
  if (!/^[A-Za-z_]\w*$/.test(def.name))
    throw new DiagnosticError([
      error('lang/name', `'${def.name}' is no name for a kernel`, { remedy: 'use letters, digits and _', loc: def.at }),
    ]);
  const attempt = (whole?: WholeVariables): Checked =>
    checked(elaborate(def, layout, extensions, { derivatives, debug: debug && !derivatives }, whole), floatOf(def));
  const { elaborated, types, problems } = withWholeVariables(attempt(), attempt);
  if (problems.length > 0) throw new DiagnosticError(problems);

  const { session } = elaborated;
  const accumulators = elaborated.reductions.map((r): [typeof r, Buffer] => [
    r,
    { name: session.bufferName(r.local.name), type: types.typeOf(r.local.cell), length: 1, role: 'temp' },
  ]);
  const result = resultBuffer(elaborated, types);
  const own = someInstruction(elaborated.code, (i) => i.do === 'one-of')
    ? rare().privateArrays(elaborated.code, types, (name) => session.bufferName(name))
    : undefined;
  const buffers: readonly Buffer[] = [
    ...elaborated.arrays.map((a) => a.buffer),
    ...(result ? [result] : []),
    ...accumulators.map(([, buffer]) => buffer),
    ...tableBuffers(elaborated.tables, elaborated.code, types),
    ...(own?.buffers ?? []),
    ...noteBuffers(session.notes),
  ];
  const code = structure(elaborated.code, (name) => session.local(name, { name, type: 'i1' }));
  const byReduction = new Map(accumulators.map(([r, buffer]) => [r, buffer.name]));
  const kernel = emitKernel(code, types, {
    name: def.name,
    params: elaborated.params,
    buffers,
    dialects,
    attrs: attrsOf(def, elaborated),
    hints: def.block === undefined ? {} : { block: def.block },
    result: result?.name ?? '',
    items: own?.items ?? new Map(),
    reduction: (r) => byReduction.get(r) ?? '',
  });
  return {
    kernel,
    buffers,
    signature: {
      launch: launchOf(def, elaborated),
      result: result && {
        type: result.type,
        buffer: result.name,
        ...(elaborated.resultShape.length > 0 && { shape: elaborated.resultShape as Sides }),
        ...(elaborated.resultNames && { names: elaborated.resultNames }),
      },
      seed: elaborated.random,
      ...(session.notes && { notes: session.notes }),
      warnings: [
        ...raceWarnings(elaborated.code),
        ...(someInstruction(elaborated.code, (i) => mayBeOther(i, types))
          ? rare().wrappedProducts(elaborated.code, types)
          : []),
        ...(elaborated.tables.some(isLarge) ? rare().wrappedTables(elaborated.code, types, elaborated.tables) : []),
      ],
    },
  };
};

/** Whether an array of the surroundings has numbers so large that those of one type do not hold their products. */
const isLarge = ({ untyped, values }: TableUse): boolean =>
  untyped === true && values.some((x) => typeof x === 'number' && Math.abs(x) > 46_340);

/** What was understood of a kernel, and all that is wrong with it. */
interface Checked {
  readonly elaborated: Elaborated;
  readonly types: Types;
  readonly problems: Diagnostics;
}

const checked = (elaborated: Elaborated, float: FloatType): Checked => {
  const { diagnostics, code } = elaborated;
  const types = inferTypes(code, float);
  return { elaborated, types, problems: [...diagnostics, ...checkTypes(code, types), ...unassignedReads(code)] };
};

/**
 * Where a float is an index, or is stored as an integer, the kernel is elaborated once more with the variables that hold nothing but whole
 * numbers, if there are any, taken as what they are. It counts where the second attempt shows the same of them.
 */
const withWholeVariables = (first: Checked, attempt: (whole: WholeVariables) => Checked): Checked => {
  if (!first.problems.some(({ code }) => code === 'lang/index-type' || code === 'lang/narrowing')) return first;
  const whole = rare().wholeVariables(first.elaborated.code, first.types);
  if (whole.size === 0) return first;
  const second = attempt(whole);
  const shown = rare().wholeVariables(second.elaborated.code, second.types);
  return [...whole].every(([id, kind]) => shown.get(id) === kind) ? second : first;
};

/** Whether there may be a product of other digits than JavaScript's: what is left of a division by so large a number is taken, or there is a factor by which 32 bits have more than 53. */
const mayBeOther = (i: Instruction, types: Types): boolean =>
  i.do === 'compute' &&
  ((i.operator === 'rem' && i.args[1].is === 'literal' && Number(i.args[1].value) > 2 ** 16) ||
    (i.operator === 'mul' &&
      i.type === undefined &&
      isInteger(types.typeOf(i.to)) &&
      i.args.some((s) => s.is === 'literal' && Math.abs(Number(s.value)) > 2 ** 20)));

const resultBuffer = ({ code, hasResult, session }: Elaborated, types: Types): Buffer | undefined => {
  const last = code[code.length - 1];
  if (!hasResult || last?.do !== 'result') return undefined;
  const [value, ...more] = last.values;
  const type = value.is === 'literal' ? types.literalType(value) : types.typeOf(value);
  return { name: session.bufferName('result'), type, length: 1 + more.length, role: 'output' };
};

const attrsOf = (def: KernelDef, { random, session }: Elaborated): Attrs => ({
  ...(random ? { random: true } : {}),
  ...(def.block === undefined ? {} : { block: def.block }),
  ...(def.threads === undefined ? {} : { threads: def.threads }),
  ...(def.vectorWidth === undefined ? {} : { vector_width: def.vectorWidth }),
  ...(session.cacheL1.size > 0 ? { cache_l1: [...session.cacheL1] } : {}),
});

const launchOf = (def: KernelDef, { params, arrays, defaults }: Elaborated): readonly LaunchParam[] => {
  const scalars = params.filter(([name]) => !arrays.some((a) => a.length === name));
  let [nextScalar, nextArray] = [0, 0];
  return def.args.flatMap((arg, k): readonly LaunchParam[] => {
    const left = defaults[k] && { default: defaults[k] };
    if (typeof arg === 'string') {
      const [name, { type }] = scalars[nextScalar++];
      return [{ is: 'scalar', name, type, ...left }];
    }
    if (arg.is === 'shaped') {
      const count = arg.shape.reduce((all, side) => all * side, 1);
      const names = scalars.slice(nextScalar, (nextScalar += count)).map(([name]) => name);
      return [{ is: 'shaped', name: names[0].replace(/_0$/, ''), type: arg.type, shape: arg.shape, ...left }];
    }
    if (arg.is !== 'array') return [];
    const { name, buffer } = arrays[nextArray++];
    return [{ is: 'array', name, type: arg.type, maxLength: arg.maxLength, buffer: buffer.name }];
  });
};
