import { nativeLibrary, type DType } from '../native/library.js';
import type { Cnn, CnnSetup } from './setup.js';

/** The layer by hand in C++, with its own memory. */
export interface NativeCnn extends Cnn {
  forward(): Float64Array;
  /** `forward` without the way out, for timing. */
  run(): void;
  close(): void;
}

/** Makes layers in C++ (`sparse-cnn.cpp`); a sentence where this machine cannot compile it. */
export const nativeCnn = async (dtype: DType, threads: number): Promise<((setup: CnnSetup) => NativeCnn) | string> => {
  const library = await nativeLibrary('sparse-cnn', dtype);
  if (typeof library === 'string') return library;
  const create = library.func('void *cnn_new(int n, int count, const int *voxels)');
  const remove = library.func('void cnn_delete(void *cnn)');
  const set = library.func('void cnn_set(void *cnn, const Real *features, const Real *weights)');
  const get = library.func('void cnn_get(void *cnn, _Out_ Real *features)');
  const forward = library.func('void cnn_forward(void *cnn, int threads)');
  return ({ n, voxels, features, weights }) => {
    const cnn = create(n, voxels.length / 3, voxels);
    set(cnn, library.reals(features), library.reals(weights));
    const run = (): void => void forward(cnn, threads);
    return {
      forward: () => {
        run();
        const out = library.reals(features.length);
        get(cnn, out);
        return Float64Array.from(out);
      },
      run,
      close: () => void remove(cnn),
    };
  };
};
