import { program, type ExampleOptions } from 'filigree';
import { mpm2d } from '../mpm2d/kernels.js';
import type { MakeMpm } from './mpm.js';

/** How kernels are compiled, as the command line says. */
export type CompileOptions = Pick<ExampleOptions, 'backend' | 'dtype' | 'threads' | 'ablate' | 'emit'>;

/** Simulations by kernels over sparse fields. */
export const kernelMpm =
  (options: CompileOptions): MakeMpm =>
  async (setup) => {
    const { dtype, backend, threads, ablate } = options;
    const { layout, kernels, fields } = mpm2d(setup, dtype);
    const sim = await program({ layout, kernels, fields, threads, ablate, ...(backend ? { backend } : {}) });
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
