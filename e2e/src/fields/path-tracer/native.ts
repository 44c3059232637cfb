import { nativeLibrary, type DType } from '../native/library.js';
import type { Cloud, Renderer, View } from './setup.js';

/** The renderer by hand in C++, with its own memory. */
export interface NativeRenderer extends Renderer {
  render(view: View, seed: number): Float64Array;
  close(): void;
}

/** Makes renderers in C++ (`path-tracer.cpp`); a sentence where this machine cannot compile it. */
export const nativeRenderer = async (
  dtype: DType,
  threads: number,
): Promise<((cloud: Cloud) => NativeRenderer) | string> => {
  const library = await nativeLibrary('path-tracer', dtype);
  if (typeof library === 'string') return library;
  const create = library.func('void *path_tracer_new(int n, const Real *density)');
  const remove = library.func('void path_tracer_delete(void *volume)');
  const render = library.func(
    'void path_tracer_render(void *volume, const Real *view, const int *size, uint32_t seed, _Out_ Real *image, int threads)',
  );
  return ({ n, density }) => {
    const volume = create(n, library.reals(density));
    return {
      render: (view, seed) => {
        const { eye, forward, right, up, light, intensity, environment, albedo, extinction } = view;
        const numbers = [eye, forward, right, up, light, [intensity, environment, albedo, extinction]].flat();
        const size = Int32Array.of(view.width, view.height, view.samples, view.pathLimit);
        const image = library.reals(view.width * view.height);
        render(volume, library.reals(numbers), size, seed, image, threads);
        return Float64Array.from(image);
      },
      close: () => void remove(volume),
    };
  };
};
