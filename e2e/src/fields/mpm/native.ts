import { nativeLibrary, type DType, type NativeArgument } from '../native/library.js';
import type { Mpm, MpmSetup, MpmState } from './mpm.js';

/** The simulation by hand in C++, with its own memory. */
export interface NativeMpm extends Mpm {
  step(count: number): void;
  state(): MpmState;
  /** Back to the start. */
  reset(): void;
  close(): void;
}

/** Makes simulations in C++ (`mpm2d.cpp` or `mpm3d.cpp`); a sentence where this machine cannot compile them. */
export const nativeMpm = async (
  dim: 2 | 3,
  dtype: DType,
  threads: number,
): Promise<((setup: MpmSetup) => NativeMpm) | string> => {
  const name = `mpm${dim}d`;
  const library = await nativeLibrary(name, dtype);
  if (typeof library === 'string') return library;
  const create = library.func(`void *${name}_new(int n, int count, const Real *material)`);
  const remove = library.func(`void ${name}_delete(void *mpm)`);
  const set = library.func(`void ${name}_set(void *mpm, const Real *x, const Real *v, const Real *C, const Real *F)`);
  const get = library.func(`void ${name}_get(void *mpm, _Out_ Real *x, _Out_ Real *v, _Out_ Real *C, _Out_ Real *F)`);
  const step = library.func(`void ${name}_step(void *mpm, int steps, int threads)`);
  return (setup) => {
    const { x, v, C, F } = setup.start;
    const material = [setup.dt, setup.mass, setup.volume, setup.mu, setup.lambda, setup.gravity];
    const mpm: NativeArgument = create(setup.n, x.length / dim, library.reals(material));
    const start = [x, v, C, F].map((a) => library.reals(a));
    const reset = (): void => void set(mpm, ...start);
    reset();
    return {
      step: (count) => void step(mpm, count, threads),
      state: () => {
        const now = start.map((a) => library.reals(a.length));
        get(mpm, ...now);
        const [x, v, C, F] = now.map((a) => Float64Array.from(a));
        return { x, v, C, F };
      },
      reset,
      close: () => void remove(mpm),
    };
  };
};
