import { fail, type Loc, type ScalarType } from '@filigree/ir';
import type { KernelArg, KernelFunction } from './arguments.js';

/** A kernel as a value: a function, what its parameters are bound to, and what its free names mean. */
export interface KernelDef<A extends readonly KernelArg[] = readonly KernelArg[]> extends KernelOptions {
  readonly is: 'kernel';
  /** How it is called in a module and in messages. */
  readonly name: string;
  readonly args: A;
  /** The function itself: called with nested arrays it runs as plain TypeScript. */
  readonly fn: KernelFunction<A>;
  readonly scope: Readonly<Record<string, unknown>>;
}

export interface KernelOptions {
  /** The name; that of the function unless said otherwise. */
  readonly name?: string;
  /** Everything the function uses from around it, by name, as it is now. Functions in it are inlined where they are called. */
  readonly scope?: Readonly<Record<string, unknown>>;
  /** The type of numbers that have a fraction and that nothing else gives a type; f32 unless said otherwise. */
  readonly float?: 'f32' | 'f64';
  /** Where the function begins in its file, so that diagnostics name that file and line. */
  readonly at?: Loc;
  /** Hint: most elements of one task of a parallel loop. */
  readonly block?: number;
  /** Hint: most threads to run on. */
  readonly threads?: number;
  /** Hint: lanes of a vector. */
  readonly vectorWidth?: number;
}

/**
 * Defines a kernel: `kernel([u, v, 'f32'], (u, v, dt) => { … }, { scope })`. Nothing is compiled or checked here but the
 * arguments: `lang/not-a-function`, `lang/argument`, `lang/hint`.
 *
 * @param args in the order of the function's parameters: fields, scalar types for launch arguments, `array(…)` for typed arrays
 */
export const kernel = <const A extends readonly KernelArg[]>(
  args: A,
  fn: KernelFunction<NoInfer<A>>,
  options: KernelOptions = {},
): KernelDef<A> => {
  if (typeof fn !== 'function')
    fail('lang/not-a-function', `kernel() was given ${fn === null ? 'null' : typeof fn} for its function`, {
      remedy: 'pass the arguments first, then the function',
    });
  args.forEach((arg, k) => {
    if (!isKernelArg(arg))
      fail('lang/argument', `argument ${k + 1} of the kernel is no field, scalar type or array`, {
        remedy: "use a field, a type such as 'f32', or array('f32', n)",
      });
  });
  for (const hint of ['block', 'threads', 'vectorWidth'] as const) {
    const n = options[hint];
    if (n !== undefined && !(Number.isSafeInteger(n) && n >= 1))
      fail('lang/hint', `${hint} is a whole number from 1 up, not ${n}`, { remedy: 'leave it out' });
  }
  return {
    ...options,
    is: 'kernel',
    name: options.name ?? (fn.name === '' ? 'kernel' : fn.name),
    args,
    fn: fn as KernelFunction<A>,
    scope: options.scope ?? {},
  };
};

const isKernelArg = (arg: unknown): arg is KernelArg =>
  typeof arg === 'string'
    ? scalarNames.has(arg)
    : typeof arg === 'object' &&
      arg !== null &&
      ['scalar', 'vector', 'matrix', 'array'].includes(String((arg as { is?: unknown }).is));

const scalarNames: ReadonlySet<string> = new Set<ScalarType>([
  'i1',
  'i8',
  'i16',
  'i32',
  'i64',
  'u8',
  'u16',
  'u32',
  'u64',
  'f32',
  'f64',
]);
