import { nativeLibrary, type DType } from '../native/library.js';
import type { PoissonResult, PoissonSetup, PoissonSolver } from './setup.js';

/** The solver by hand in C++, with its own memory. */
export interface NativePoisson extends PoissonSolver {
  solve(): PoissonResult;
  iterate(count: number): Float64Array;
  /** `solve` without the way in and out, for timing: how many iterations it took. */
  run(): number;
  close(): void;
}

/** Makes solvers in C++ (`mgpcg.cpp`); a sentence where this machine cannot compile it. */
export const nativePoisson = async (
  dtype: DType,
  threads: number,
): Promise<((setup: PoissonSetup) => NativePoisson) | string> => {
  const library = await nativeLibrary('mgpcg', dtype);
  if (typeof library === 'string') return library;
  const create = library.func('void *mgpcg_new(int n, int levels, int count, const int *blocks)');
  const remove = library.func('void mgpcg_delete(void *poisson)');
  const set = library.func('void mgpcg_set(void *poisson, const Real *b)');
  const get = library.func('void mgpcg_get(void *poisson, _Out_ Real *x)');
  const solve = library.func(
    'int mgpcg_solve(void *poisson, double tolerance, int most, _Out_ double *norms, int threads)',
  );
  const iterate = library.func('void mgpcg_iterate(void *poisson, int threads)');
  return (setup) => {
    const poisson = create(setup.n, setup.levels, setup.blocks.length / 3, setup.blocks);
    const b = library.reals(setup.b);
    const norms = new Float64Array(setup.mostIterations + 1);
    const run = (): number => {
      set(poisson, b);
      return Number(solve(poisson, setup.tolerance, setup.mostIterations, norms, threads));
    };
    const solution = (): Float64Array => {
      const x = library.reals(b.length);
      get(poisson, x);
      return Float64Array.from(x);
    };
    return {
      solve: () => {
        const iterations = run();
        return { x: solution(), norms: [...norms.subarray(0, iterations + 1)] };
      },
      iterate: (count) => {
        set(poisson, b);
        for (let s = 0; s < count; s++) iterate(poisson, threads);
        return solution();
      },
      run,
      close: () => void remove(poisson),
    };
  };
};
