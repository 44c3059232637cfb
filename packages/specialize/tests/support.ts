import * as E from 'fp-ts/lib/Either.js';
import {
  coreDialects,
  DEFAULT_ARITHMETIC,
  interpret,
  verifyModule,
  type Arithmetic,
  type Diagnostics,
  type Num,
} from '@filigree/ir';
import {
  defaultOptions,
  plainElements,
  specialize,
  trace,
  type ElementsWord,
  type Program,
  type SpecializeOptions,
  type Specialized,
} from '@filigree/specialize';

/** The right side, or an exception with the diagnostics. */
export const right = <T>(e: E.Either<Diagnostics, T>): T => {
  if (E.isLeft(e)) throw new Error(JSON.stringify(e.left));
  return e.right;
};

/** What a program of elements computes of arrays by name, on symbols or on numbers. */
export type Body = (x: Record<string, Num[]>, elements: ElementsWord) => Record<string, Num[]>;

/** Runs a program on symbols through all stages, and on numbers; how many values it keeps in between. */
export const both = (
  inputs: Record<string, number>,
  body: Body,
  options: Partial<SpecializeOptions> = {},
  arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
) => {
  const program: Program = { inputs, run: (given, { elements }) => body(given as never, elements) };
  const given = Object.fromEntries(Object.entries(inputs).map(([name, n], k) => [name, numbers(n, k + 1)]));
  const { outputs, specialized } = runProgram(program, given, options, arithmetic);
  const plain = body(Object.fromEntries(Object.entries(given).map(([k, v]) => [k, [...v]])), plainElements);
  const temporary = specialized.module.buffers.find(({ role }) => role === 'temp')?.length ?? 0;
  return { outputs, plain: plain as Record<string, number[]>, temporary, specialized };
};

/** Specialises, verifies and interprets a program on these inputs; outputs by name. */
export const runProgram = (
  program: Program,
  inputs: Record<string, ArrayLike<number>>,
  options: Partial<SpecializeOptions> = {},
  arithmetic: Arithmetic = DEFAULT_ARITHMETIC,
): { outputs: Record<string, Float64Array>; specialized: Specialized } => {
  const traced = right(trace({ arithmetic }).run(program));
  const specialized = right(specialize({ ...defaultOptions, ...options })(traced));
  const problems = verifyModule(specialized.module, coreDialects);
  if (problems.length > 0) throw new Error(problems.map((p) => p.message).join('\n'));
  const buffers: Record<string, Float64Array> = {};
  for (const b of specialized.module.buffers) {
    if (b.role === 'input') buffers[b.name] = Float64Array.from(inputs[b.name]);
    if (b.role === 'output') buffers[b.name] = new Float64Array(b.length);
  }
  right(interpret(specialized.module, coreDialects, buffers));
  return { outputs: buffers, specialized };
};

/** Largest difference relative to the largest entry. */
export const relativeError = (actual: ArrayLike<number>, expected: ArrayLike<number>): number => {
  let error = 0;
  let size = 0;
  for (let i = 0; i < expected.length; i++) {
    error = Math.max(error, Math.abs(actual[i] - expected[i]));
    size = Math.max(size, Math.abs(expected[i]));
  }
  return error === 0 ? 0 : error / (size || 1);
};

/** Numbers in [0.5, 1.5), the same for the same seed. */
export const numbers = (n: number, seed: number): Float64Array => {
  let state = seed >>> 0 || 1;
  return Float64Array.from({ length: n }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return 0.5 + state / 2 ** 32;
  });
};
