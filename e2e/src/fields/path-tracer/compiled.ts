import { program } from 'filigree';
import { blocksOf, handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { pathTracer } from './kernels.js';
import type { Cloud, Renderer, View } from './setup.js';

/** A renderer by a kernel over sparse fields. */
export interface CompiledRenderer extends Renderer {
  render(view: View, seed: number): Float64Array;
  /** `render` without the way out, for timing. */
  readonly run: (view: View, seed: number) => void;
  readonly close: () => void;
}

/** Makes renderers by a kernel over sparse fields. */
export const compiledRenderer =
  (options: CompileOptions) =>
  async (cloud: Cloud): Promise<CompiledRenderer> => {
    const { n, density } = cloud;
    const sim = await program({ ...pathTracer(cloud, options.dtype, blocksOf(options)), ...programOptions(options) });
    handOut(options, 'path-tracer', sim);
    for (let at = 0; at < density.length; at++)
      if (density[at] !== 0)
        sim.fields.density.set([Math.floor(at / n ** 2), Math.floor(at / n) % n, at % n], density[at]);
    const Reals = options.dtype === 'f32' ? Float32Array : Float64Array;
    const launch = sim.run.render as (...args: readonly unknown[]) => number;
    const run = (view: View, seed: number): void => {
      const { eye, forward, right, up, light, intensity, environment, albedo, extinction } = view;
      sim.seed(seed);
      const numbers = [...eye, ...forward, ...right, ...up, ...light, intensity, environment, albedo, extinction];
      launch(Reals.from(numbers), view.width, view.height, view.samples, view.pathLimit);
    };
    return {
      render: (view, seed) => {
        run(view, seed);
        return Float64Array.from(
          sim.fields.image.toArray({ from: [0, 0], to: [view.height, view.width] }) as Float32Array,
        );
      },
      run,
      close: () => sim.dispose(),
    };
  };
