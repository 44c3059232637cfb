import { program } from 'filigree';
import { blocksOf, handOut, programOptions, type CompileOptions } from '../compile-options.js';
import { mpm2d } from '../mpm2d/kernels.js';
import { mpm3d } from '../mpm3d/kernels.js';
import type { Mpm, MpmSetup, MpmState } from './mpm.js';

/** A simulation by kernels over sparse fields. */
export interface CompiledMpm extends Mpm {
  step(count: number): void;
  state(): MpmState;
  close(): void;
}

/** Makes simulations by kernels over sparse fields. */
export const compiledMpm =
  (options: CompileOptions) =>
  async (setup: MpmSetup): Promise<CompiledMpm> => {
    const { layout, kernels, fields } = (setup.dim === 2 ? mpm2d : mpm3d)(setup, options.dtype, blocksOf(options));
    const sim = await program({ layout, kernels, fields, ...programOptions(options) });
    handOut(options, `mpm${setup.dim}d`, sim);
    const { x, v, C, F } = sim.fields;
    const all = { from: [0], to: [setup.body.length] };
    x.fromArray(setup.start.x, all);
    v.fromArray(setup.start.v, all);
    C.fromArray(setup.start.C, all);
    F.fromArray(setup.start.F, all);
    return {
      step: (count) => {
        for (let k = 0; k < count; k++) sim.run.step();
      },
      state: () => {
        const read = (field: typeof x | typeof C): Float64Array =>
          Float64Array.from(field.toArray(all) as Float32Array);
        return { x: read(x), v: read(v), C: read(C), F: read(F) };
      },
      close: () => sim.dispose(),
    };
  };
