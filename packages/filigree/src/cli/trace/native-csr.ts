import * as E from 'fp-ts/lib/Either.js';
import { findToolchain, layoutSlab } from '@filigree/backend';
import { fail } from '@filigree/ir';
import type { Instance } from '@filigree/runtime';
import type { Csr } from '@filigree/sparse/formats';
import type { Timer } from '../measure.js';
import { nativeLibrary } from '../native-library.js';
import { csrSource } from './csr-source.js';

/** The products in C++ that a kernel is measured against, and the clock beside them. */
export interface NativeCsr {
  /** Figure 1a of the paper, or rows by as many vectors as they are long. */
  readonly timer: (form: 'plain' | 'tuned') => Timer;
  /** y after the last run. */
  readonly result: () => Float32Array | Float64Array;
  /** A module of the C++ backend timed by the same clock. */
  readonly timerOfKernel: (instance: Instance) => Timer;
  readonly close: () => void;
}

/** Nothing that reorders sums: the compiler is given Figure 1a as it stands. */
const FLAGS = ['-std=gnu++17', '-O3'];

/** Compiled and loaded for y = A·x, or why that cannot be. */
export const nativeCsr = async (
  { pattern, values }: Csr<ArrayLike<number>>,
  x: ArrayLike<number>,
  options: { readonly dtype: 'f32' | 'f64'; readonly threads: number; readonly cache: string | false | undefined },
): Promise<NativeCsr | string> => {
  const toolchain = await findToolchain()();
  if (E.isLeft(toolchain)) return toolchain.left[0].message;
  const { target, openmp } = toolchain.right;
  const { dtype, threads } = options;
  const scalar = dtype === 'f32' ? 'float' : 'double';
  const parallel = openmp ? ['-fopenmp'] : [];
  const library = await nativeLibrary(
    toolchain.right,
    {
      text: csrSource(scalar),
      flags: [...FLAGS, ...target, ...parallel],
      /* Threads of OpenMP outlive the library. */
      link: [...parallel, '-ldl', ...(process.platform === 'linux' ? ['-Wl,-z,nodelete'] : [])],
    },
    options.cache,
  );
  if ('failure' in library) return `the C++ baseline does not compile: ${library.failure}`;

  const { default: koffi } = await import('koffi');
  const lib = koffi.load(library.path);
  const create = lib.func(
    `void *baseline_new(int rows, int columns, const int *pos, const int *cols, const ${scalar} *A, const ${scalar} *x)`,
  );
  const destroy = lib.func('void baseline_delete(void *c)');
  const time = lib.func('double baseline_time(void *c, int vectors, int threads, int times)');
  const get = lib.func(`void baseline_result(void *c, _Out_ ${scalar} *y)`);
  const entryOf = lib.func('void *kernel_entry(const char *library)');
  const timeKernel = lib.func('double kernel_time(void *entry, void *slab, void *offsets, int threads, int times)');
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
  return {
    timer: (form) => (times) => time(handle, form === 'tuned' ? 1 : 0, threads, times) as number,
    result: () => {
      const y = new Scalars(pattern.rows);
      get(handle, y);
      return y;
    },
    timerOfKernel: (instance) => {
      const entry: unknown = entryOf(instance.artifact.path);
      if (entry === null)
        fail('load/entry', `${instance.artifact.path} has no entry point`, { remedy: 'compile again' });
      const { offsets, offsetOf, bytes } = layoutSlab(instance.module);
      const y = instance.buffers['y'];
      const slab = new Uint8Array(y.buffer, y.byteOffset - offsetOf.get('y')!, bytes);
      const places = BigInt64Array.from(offsets, BigInt);
      return (times) => timeKernel(entry, slab, places, threads, times) as number;
    },
    close: () => {
      destroy(handle);
      lib.unload();
    },
  };
};
