import {
  allocateArray,
  coreDialects,
  DiagnosticError,
  interpret,
  makeModule,
  printKernel,
  verifyModule,
  type Diagnostic,
  type Scalar,
  type TypedArray,
} from '@filigree/ir';
import { dense, field, fieldDialect, i, layout, type Layout } from '@filigree/sparse/fields';
import {
  kernel,
  launchSeed,
  lowerKernel,
  type KernelDef,
  type KernelOptions,
  type LoweredKernel,
} from '@filigree/lang';

/** A layout for kernels that use no fields. */
const noFields = layout(dense(i, 1).place(field('unused', 'f32')));

type AnyDef = KernelDef;

/** A kernel from a function, without its types. */
export const define = (args: readonly unknown[], fn: unknown, options: KernelOptions = {}): AnyDef =>
  (kernel as unknown as (a: unknown, o: unknown, f: unknown) => AnyDef)(args, options, fn);

const known = new WeakMap<AnyDef, LoweredKernel>();

/** The lowered kernel, which must be well-formed. Throws what is wrong with it. */
export const lowered = (def: AnyDef, on: Layout = noFields): LoweredKernel => {
  const made = known.get(def) ?? checked(def, on);
  known.set(def, made);
  return made;
};

const checked = (def: AnyDef, on: Layout): LoweredKernel => {
  const result = lowerKernel(def, on);
  if (result._tag === 'Left') throw new DiagnosticError(result.left);
  const module = makeModule('m', result.right.buffers, [result.right.kernel]);
  const problems = verifyModule(module, [...coreDialects, fieldDialect(on)]);
  if (problems.length > 0) throw new DiagnosticError(problems);
  return result.right;
};

/** The text of a kernel's IR. */
export const textOf = (def: AnyDef, on?: Layout): string => printKernel(lowered(def, on).kernel);

/** Runs a kernel over arrays in the interpreter, in place, as the first launch of a program with this seed; what it returns. */
export const run = (def: AnyDef, args: readonly (Scalar | TypedArray)[] = [], seed = 0): Scalar | undefined => {
  const { kernel: k, buffers, signature } = lowered(def);
  const memory: Record<string, TypedArray> = {};
  const scalars: Scalar[] = [];
  signature.launch.forEach((param, at) => {
    const arg = args[at];
    if (param.is === 'scalar') return void scalars.push(arg as Scalar);
    if (param.is === 'shaped') return void scalars.push(...(arg as unknown as readonly number[]));
    const given = arg as TypedArray;
    const whole = new (given.constructor as new (n: number) => TypedArray)(param.maxLength);
    (whole as Float64Array).set(given as Float64Array);
    memory[param.buffer] = whole;
    scalars.push(given.length);
  });
  if (signature.seed) scalars.push(launchSeed(seed, 0));
  if (signature.result) memory[signature.result.buffer] = allocateArray(signature.result.type, 1);
  const outcome = interpret(makeModule('m', buffers, [k]), [...coreDialects, fieldDialect(noFields)], memory, {
    kernel: k.name,
    args: scalars,
  });
  if (outcome._tag === 'Left') throw new DiagnosticError(outcome.left);
  signature.launch.forEach((param, at) => {
    if (param.is !== 'array') return;
    const given = args[at] as Float64Array;
    given.set((memory[param.buffer] as Float64Array).subarray(0, given.length));
  });
  if (!signature.result) return undefined;
  const [value] = memory[signature.result.buffer];
  return signature.result.type === 'i1' ? value !== 0 : Number(value);
};

/** The problems of a kernel; empty when it has none. */
export const problemsOf = (def: AnyDef, on: Layout = noFields): readonly Diagnostic[] => {
  const result = lowerKernel(def, on);
  return result._tag === 'Left' ? result.left : [];
};

/** A function from its text, as one that no tool has touched. */
export const fromText = (text: string): unknown => new Function(`return (${text})`)() as unknown;
