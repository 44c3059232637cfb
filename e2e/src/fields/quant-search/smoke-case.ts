import { programOptions, type CompileOptions } from '../compile-options.js';
import { beginSmoke, boxOf, compiledSmoke, smokeSteps } from '../smoke/compiled.js';
import { smoke } from '../smoke/kernels.js';
import { full, type SmokeSchemeName } from '../smoke/schemes.js';
import { smokeSetup } from '../smoke/setup.js';
import { numbersOf, type Ran, type SearchCase } from './search-case.js';

/** Smoke that rises in a box: what its velocities and its dye are stored in. */
export const smokeCase = (options: CompileOptions, dim: 2 | 3, n: number, steps: number): SearchCase => {
  const setup = smokeSetup(dim, n);
  const made = smoke(setup, options.dtype, full, true);
  const { now, dye } = made.fields;
  const outputs = [now, dye];
  const ran = async (scheme: SmokeSchemeName): Promise<Ran> => {
    const one = await compiledSmoke(options)(setup, scheme);
    try {
      one.step(steps);
      const { velocity, dye } = one.state();
      return { outputs: [velocity, dye], bytes: one.bytes };
    } finally {
      one.close();
    }
  };
  return {
    search: {
      layout: made.layout,
      kernels: made.kernels,
      store: Object.values(made.advected),
      outputs,
      inputs: (sim) => beginSmoke(setup, made, sim, options.dtype),
      launch: ({ run }) => smokeSteps(setup, run as never).step(steps),
      ...programOptions(options),
    },
    elements: n ** dim,
    full: () => ran('full'),
    byHand: () => ran('shared'),
    found: (sim) => ({ outputs: numbersOf(sim, outputs, boxOf(setup)), bytes: sim.bytes() }),
  };
};
