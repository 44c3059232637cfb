import koffi from 'koffi';
import { measure, speedup, type Ratio } from './measure.js';
import { buildLibrary } from './native/build.js';
import { findCompiler } from './native/toolchain.js';

/** Of 48 multiply-adds each: some milliseconds, beside which starting a thread is nothing. */
const ROUNDS = 1_000_000;

/**
 * How many times as fast `threads` threads are as one where nothing waits for memory: multiply-adds in registers. Far below
 * `threads`, the processors that the system shows share the units of fewer cores, and no program gains more. Undefined
 * without a C++ compiler.
 */
export const measureScaling = (threads: number): Ratio | undefined => {
  const compiler = findCompiler();
  if ('missing' in compiler) return undefined;
  const lib = koffi.load(buildLibrary({ file: 'arithmetic.cpp' }, compiler.found));
  const run = lib.func('double arithmetic_run(int threads, int rounds, double factor, double summand)');
  const contender = (count: number) => {
    let result = NaN;
    return {
      name: `${count}`,
      run: () => void (result = run(count, ROUNDS, 0.5, 1) as number),
      /* x/2 + 1 over and over is 2 in the end. */
      check: () => Math.abs(result - 2),
    };
  };
  const [one, all] = measure([contender(1), contender(threads)]);
  return speedup(one, all);
};
