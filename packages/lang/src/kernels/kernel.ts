import { locOption } from '../source/place.js';
import { fail, isScalarType, type Loc, checkOptions, option, type OptionSpec } from '@filigree/ir';
import { isField } from '@filigree/sparse/fields';
import { noteOrigin } from '../source/spelling/origin-of.js';
import type { FloatType } from './types/infer.js';
import type { DefaultingFunction, KernelArg, KernelFunction, KernelResult, Params } from './arguments.js';

/** A kernel as a value: a function, what its parameters are bound to, and what its free names mean. */
export interface KernelDef<
  A extends readonly KernelArg[] = readonly KernelArg[],
  R extends KernelResult = KernelResult,
  P extends readonly unknown[] = number extends A['length'] ? never[] : Params<A>,
> extends KernelOptions {
  readonly is: 'kernel';
  /** What it is called in a module and in messages. */
  readonly name: string;
  readonly args: A;
  /** The function itself: called with nested arrays it runs as plain TypeScript. */
  readonly fn: KernelFunction<A, R, P>;
  readonly scope: Readonly<Record<string, unknown>>;
}

/** How a kernel is defined, beside its arguments and its function. */
export interface KernelOptions {
  /** The kernel's name; default that of the function. */
  readonly name?: string;
  /** Everything the function uses from around it, by name, as it is now. Functions in it are inlined where they are called. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /**
   * The type of numbers with a fraction whose type nothing else determines: by default f64 where the arguments of floats are all f64,
   * and f32 where one is f32 or none is a float.
   */
  readonly float?: FloatType;
  /** Where the function begins in its file, so that diagnostics name that file and line. */
  readonly at?: Loc;
  /** Hint: the most elements that one task of a parallel loop takes. */
  readonly block?: number;
  /** Hint: the most threads to run on. */
  readonly threads?: number;
  /**
   * Hint: the lanes of a vector, in loops around loops that are put on lanes (`vectorize-nests`). In innermost loops
   * the compiler decides.
   */
  readonly vectorWidth?: number;
}

/**
 * Defines a kernel: `kernel([u, v, 'f32'], { scope }, (u, v, dt) => { … })`, where the options may be left out. Nothing is compiled
 * or checked here but the arguments: `lang/not-a-function`, `lang/argument`.
 *
 * @param args in the order of the function's parameters: fields, scalar types for launch arguments, `array(…)` for typed arrays,
 *   `vector(…)` and `matrix(…)`
 */
export function kernel<const A extends readonly KernelArg[], F extends KernelFunction<NoInfer<A>>>(
  args: A,
  fn: F,
): KernelDef<A, ReturnType<F>, Parameters<F>>;
export function kernel<const A extends readonly KernelArg[], F extends KernelFunction<NoInfer<A>>>(
  args: A,
  options: KernelOptions,
  fn: F,
): KernelDef<A, ReturnType<F>, Parameters<F>>;
export function kernel<const A extends readonly KernelArg[], F extends DefaultingFunction<NoInfer<A>>>(
  args: A,
  fn: F,
): KernelDef<A, ReturnType<F>, Parameters<F>>;
export function kernel<const A extends readonly KernelArg[], F extends DefaultingFunction<NoInfer<A>>>(
  args: A,
  options: KernelOptions,
  fn: F,
): KernelDef<A, ReturnType<F>, Parameters<F>>;
export function kernel<const A extends readonly KernelArg[], R extends KernelResult>(
  args: A,
  ...rest: readonly [fn: KernelFunction<A, R>] | readonly [options: KernelOptions, fn: KernelFunction<A, R>]
): KernelDef<A, R> {
  const [given, fn] = rest.length === 1 ? [undefined, rest[0]] : rest;
  if (typeof fn !== 'function')
    fail('lang/not-a-function', `kernel() was given ${fn === null ? 'null' : typeof fn} for its function`, {
      remedy: 'pass the arguments, then options if there are any, then the function',
    });
  if (!Array.isArray(args))
    fail('lang/argument', 'the arguments of a kernel are no list', {
      remedy: "write them as in kernel([u, 'f32'], …)",
    });
  args.forEach((arg, k) => {
    if (!isKernelArg(arg))
      fail('lang/argument', `argument ${k + 1} of the kernel is no field, scalar type, array, vector or matrix`, {
        remedy: "use a field, a type such as 'f32', array('f32', n) or vector('f32', 2)",
      });
  });
  const options = checkOptions('kernel', given, kernelSpec);
  noteOrigin(fn, kernel);
  return {
    ...options,
    is: 'kernel',
    name: options.name ?? (fn.name === '' ? 'kernel' : fn.name),
    args,
    fn: fn as KernelDef<A, R>['fn'],
    scope: options.scope ?? {},
  };
}

/** The type of a kernel's floats that meet none whose type is stated: as its author says, or that of all its arguments of floats. */
export const floatOf = ({ float, args }: KernelDef): FloatType => {
  if (float !== undefined) return float;
  const types = args.map((arg) => (typeof arg === 'string' ? arg : arg.type));
  return types.includes('f64') && !types.includes('f32') ? 'f64' : 'f32';
};

const kernelSpec: OptionSpec<KernelOptions> = {
  name: option.text,
  scope: option.object('an object of what the function uses'),
  float: option.choice('f32', 'f64'),
  at: locOption,
  block: option.whole(1),
  threads: option.whole(1),
  vectorWidth: option.whole(1),
};

const isKernelArg = (arg: unknown): arg is KernelArg =>
  typeof arg === 'string'
    ? isScalarType(arg)
    : isField(arg) ||
      (typeof arg === 'object' && arg !== null && ['array', 'shaped'].includes((arg as { is?: string }).is ?? ''));
