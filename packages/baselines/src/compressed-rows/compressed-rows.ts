import { fail } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { Baseline, Running } from '../baseline.js';
import type { Slab } from '../slab.js';
import { csrSource } from './csr-source.js';

/** y = A·x. */
export interface ProductProblem {
  readonly matrix: Csr<ArrayLike<number>>;
  readonly x: ArrayLike<number>;
  readonly dtype: 'f32' | 'f64';
  readonly threads: number;
}

/** The products in C++, and the clock beside them. */
export interface RunningProducts extends Running {
  /** Figure 1a of the paper, or rows by as many vectors as they are long. */
  readonly timer: (form: 'plain' | 'tuned') => Timer;
  /** The same by MKL, where it is found: in the file that `FILIGREE_MKL` names, or as a library of the system. */
  readonly mkl: Timer | undefined;
  /** y after the last run. */
  readonly result: () => Float32Array | Float64Array;
  /** A module of the C++ backend timed by the same clock. */
  readonly timerOfKernel: (kernel: CompiledKernel) => Timer;
}

/** Does something so many times, and once before unless nothing is to be in caches; gives the milliseconds that took. */
export type Timer = (times: number, cold?: boolean) => number;

/** A library of the C++ backend, and the memory that it works on. */
export interface CompiledKernel extends Slab {
  readonly library: string;
}

/** Products of a matrix in compressed rows with a vector. What each comes to is for whoever measures to check. */
export const compressedRows: Baseline<ProductProblem, RunningProducts> = {
  name: 'csr',
  called: 'the C++ baseline',
  source: ({ dtype }, { target, openmp }) => {
    const parallel = openmp ? ['-fopenmp'] : [];
    return Promise.resolve({
      text: csrSource(scalarOf(dtype)),
      flags: [...FLAGS, ...target, ...parallel],
      /* Threads of OpenMP outlive the library. */
      link: [...parallel, '-ldl', ...(process.platform === 'linux' ? ['-Wl,-z,nodelete'] : [])],
    });
  },
  open: async (path, { matrix: { pattern, values }, x, dtype, threads }) => {
    const { default: koffi } = await import('koffi');
    const lib = koffi.load(path);
    const scalar = scalarOf(dtype);
    const create = lib.func(
      `void *baseline_new(int rows, int columns, const int *pos, const int *cols, const ${scalar} *A, const ${scalar} *x)`,
    );
    const destroy = lib.func('void baseline_delete(void *c)');
    const time = lib.func('double baseline_time(void *c, int vectors, int threads, int times, int cold)');
    const get = lib.func(`void baseline_result(void *c, _Out_ ${scalar} *y)`);
    const entryOf = lib.func('void *kernel_entry(const char *library)');
    const timeKernel = lib.func(
      'double kernel_time(void *entry, void *slab, void *offsets, int threads, int times, int cold)',
    );
    const openMkl = lib.func('void *mkl_new(void *c, const char *library, int threads)');
    const closeMkl = lib.func('void mkl_delete(void *m)');
    const timeMkl = lib.func('double mkl_time(void *m, int times, int cold)');
    const Scalars = dtype === 'f32' ? Float32Array : Float64Array;
    const handle: unknown = create(
      pattern.rows,
      pattern.cols,
      pattern.rowPtr,
      pattern.colIdx,
      Scalars.from(values),
      Scalars.from(x),
    );
    if (handle === null) return 'memory ran out for the C++ baseline';
    const mkl = firstOf(librariesOfMkl(), (name) => openMkl(handle, name, threads) as unknown);
    return {
      timer:
        (form) =>
        (times, cold = false) =>
          time(handle, form === 'tuned' ? 1 : 0, threads, times, Number(cold)) as number,
      mkl: mkl === null ? undefined : (times, cold = false) => timeMkl(mkl, times, Number(cold)) as number,
      result: () => {
        const y = new Scalars(pattern.rows);
        get(handle, y);
        return y;
      },
      timerOfKernel: ({ library, slab, offsets }) => {
        const entry: unknown = entryOf(library);
        if (entry === null) fail('load/entry', `${library} has no entry point`, { remedy: 'compile again' });
        const places = BigInt64Array.from(offsets, BigInt);
        return (times, cold = false) => timeKernel(entry, slab, places, threads, times, Number(cold)) as number;
      },
      close: () => {
        if (mkl !== null) closeMkl(mkl);
        destroy(handle);
        lib.unload();
      },
    };
  },
};

/** Nothing that reorders sums: the compiler is given Figure 1a as it stands. */
const FLAGS = ['-std=gnu++17', '-O3'];

const librariesOfMkl = (): readonly string[] => {
  const named = process.env.FILIGREE_MKL;
  return named === undefined ? ['libmkl_rt.so', 'libmkl_rt.so.3', 'libmkl_rt.so.2'] : [named];
};

/** The first that there is, or null. */
const firstOf = (names: readonly string[], open: (name: string) => unknown): unknown => {
  for (const name of names) {
    const opened = open(name);
    if (opened !== null) return opened;
  }
  return null;
};

const scalarOf = (dtype: 'f32' | 'f64'): 'float' | 'double' => (dtype === 'f32' ? 'float' : 'double');
