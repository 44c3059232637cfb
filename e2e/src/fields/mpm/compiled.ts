import { program } from 'filigree';
import { programOptions, type CompileOptions } from '../compile-options.js';
import { mpm2d } from '../mpm2d/kernels.js';
import type { MakeMpm } from './mpm.js';

/** Simulations by kernels over sparse fields. */
export const kernelMpm =
  (options: CompileOptions): MakeMpm =>
  async (setup) => {
    const sim = await program({ ...mpm2d(setup, options.dtype), ...programOptions(options) });
    options.emit?.(`mpm${setup.dim}d`, sim.instance.sources);
    const { x, v, C, F } = sim.fields;
    for (const [field, start] of [
      [x, setup.start.x],
      [v, setup.start.v],
      [C, setup.start.C],
      [F, setup.start.F],
    ] as const)
      field.fromArray(start);
    return {
      step: (count) => {
        for (let k = 0; k < count; k++) sim.run.step();
      },
      state: () => {
        const [X, V, G, D] = [x, v, C, F].map((field) => Float64Array.from(field.toArray() as Float32Array));
        return { x: X, v: V, C: G, F: D };
      },
      close: () => sim.dispose(),
    };
  };
