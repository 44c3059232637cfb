import { beginQuantMpm, compiledQuantMpm, quantMpmSteps } from '../mpm-quant/compiled.js';
import { quantMpm, type QuantMpmSetup } from '../mpm-quant/kernels.js';
import { full } from '../mpm-quant/schemes.js';
import { spinning3d } from '../mpm3d/setup.js';
import { programOptions, type CompileOptions } from '../compile-options.js';
import { numbersOf, type Ran, type SearchCase } from './search-case.js';

/** A ball of jelly that turns and stretches: what its particles are stored in, all of one side by side. */
export const mpmCase = (options: CompileOptions, n: number, steps: number): SearchCase => {
  const setup: QuantMpmSetup = { ...spinning3d(n), soft: 1 };
  const transfer = 'g2p2g';
  const made = quantMpm(setup, options.dtype, full, transfer, true);
  const { x, v, F, material, colour } = made.fields;
  const all = { from: [0], to: [setup.body.length] };
  const outputs = [x, v, F];
  const ran = async (scheme: 'full' | 'few'): Promise<Ran> => {
    const mpm = await compiledQuantMpm(options, scheme, transfer)(setup);
    try {
      mpm.step(steps);
      const { x, v, F } = mpm.state();
      return { outputs: [x, v, F], bytes: mpm.allBytes() };
    } finally {
      mpm.close();
    }
  };
  return {
    search: {
      layout: made.layout,
      kernels: made.kernels,
      store: [x, v, F, material, colour],
      outputs,
      inputs: (sim) => beginQuantMpm(setup, made.fields, sim),
      launch: ({ run }) => {
        const { begin, step } = quantMpmSteps(transfer, run as never);
        begin();
        step(steps);
      },
      ...programOptions(options),
    },
    elements: setup.body.length,
    full: () => ran('full'),
    byHand: () => ran('few'),
    found: (sim) => ({ outputs: numbersOf(sim, outputs, all), bytes: sim.bytes() }),
  };
};
