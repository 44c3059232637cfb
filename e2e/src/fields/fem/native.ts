import { nativeLibrary, type DType } from '../native/library.js';
import type { FemResult, FemSetup, FemSolver } from './setup.js';

/** The solver by hand in C++, with its own memory. */
export interface NativeFem extends FemSolver {
  multiply(u: Float64Array): Float64Array;
  solve(): FemResult;
  /** The product with the load, in the solver's memory, for timing. */
  runMultiply(): void;
  /** `solve` without the way in and out, for timing: how many iterations it took. */
  runSolve(): number;
  close(): void;
}

/** Makes solvers in C++ (`fem.cpp`); a sentence where this machine cannot compile it. */
export const nativeFem = async (dtype: DType, threads: number): Promise<((setup: FemSetup) => NativeFem) | string> => {
  const library = await nativeLibrary('fem', dtype);
  if (typeof library === 'string') return library;
  const create = library.func('void *fem_new(int n, const Real *lambda, const Real *mu, const Real *free)');
  const remove = library.func('void fem_delete(void *fem)');
  const set = library.func('void fem_set(void *fem, const Real *f)');
  const displacement = library.func('void fem_get_displacement(void *fem, _Out_ Real *u)');
  const product = library.func('void fem_get_product(void *fem, _Out_ Real *q)');
  const multiply = library.func('void fem_multiply(void *fem, int threads)');
  const solve = library.func('int fem_solve(void *fem, double tolerance, int most, _Out_ double *norms, int threads)');
  return (setup) => {
    const { n, tolerance, mostIterations } = setup;
    const fem = create(n, library.reals(setup.lambda), library.reals(setup.mu), library.reals(setup.free));
    const load = library.reals(setup.load);
    const norms = new Float64Array(mostIterations + 1);
    const read = (get: typeof product): Float64Array => {
      const out = library.reals(3 * n ** 3);
      get(fem, out);
      return Float64Array.from(out);
    };
    const runSolve = (): number => {
      set(fem, load);
      return Number(solve(fem, tolerance, mostIterations, norms, threads));
    };
    set(fem, load);
    return {
      multiply: (u) => {
        set(fem, library.reals(u));
        multiply(fem, threads);
        return read(product);
      },
      solve: () => {
        const iterations = runSolve();
        return { u: read(displacement), norms: [...norms.subarray(0, iterations + 1)] };
      },
      runMultiply: () => void multiply(fem, threads),
      runSolve,
      close: () => void remove(fem),
    };
  };
};
