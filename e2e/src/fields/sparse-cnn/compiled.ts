import { program } from 'filigree';
import { blocksOf, handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { sparseCnn } from './kernels.js';
import { CHANNELS, type Cnn, type CnnSetup } from './setup.js';

/** A layer by a kernel over sparse fields. */
export interface CompiledCnn extends Cnn {
  /** The layer over the features in the field: those of the setup, until others are given. */
  forward(features?: Float64Array): Float64Array;
  /** `forward` without the way out, for timing. */
  readonly run: () => void;
  readonly close: () => void;
}

/** Makes layers by a kernel over sparse fields. */
export const compiledCnn =
  (options: CompileOptions) =>
  async (setup: CnnSetup): Promise<CompiledCnn> => {
    const { voxels, features, weights } = setup;
    const sim = await program({ ...sparseCnn(setup, options.dtype, blocksOf(options)), ...programOptions(options) });
    handOut(options, 'sparse-cnn', sim);
    const { input, output, weights: w } = sim.fields;
    const count = voxels.length / 3;
    const each = (visit: (at: readonly number[], from: number) => void): void => {
      for (let v = 0; v < count; v++)
        for (let c = 0; c < CHANNELS; c++) visit([...voxels.subarray(3 * v, 3 * v + 3), c], v * CHANNELS + c);
    };
    each((at, from) => input.set(at, features[from]));
    w.fromArray(weights);
    return {
      forward: (given) => {
        if (given) each((at, from) => input.set(at, given[from]));
        sim.run.forward();
        const out = new Float64Array(count * CHANNELS);
        each((at, from) => (out[from] = output.get(at)));
        return out;
      },
      run: () => void sim.run.forward(),
      close: () => sim.dispose(),
    };
  };
