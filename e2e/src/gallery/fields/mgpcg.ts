import { reached } from '../../fields/finding.js';
import { checkPoisson } from '../../fields/mgpcg/check.js';
import { compiledPoisson } from '../../fields/mgpcg/compiled.js';
import { nativePoisson } from '../../fields/mgpcg/native.js';
import { poissonPicture } from '../../fields/mgpcg/picture.js';
import { residualNorm } from '../../fields/mgpcg/reference.js';
import { poissonSetup } from '../../fields/mgpcg/setup.js';
import { fieldExample, rounding } from './application.js';

/** Poisson's equation by conjugate gradients with a multigrid preconditioner, on a cube or a ball of blocks. */
export const mgpcgExample = fieldExample({
  name: 'mgpcg',
  shows: "Poisson's equation on a cube or ball of cells, by conjugate gradients with multigrid",
  takes: 'size=CELLS, steps=ITERATIONS at most, domain=cube|ball',
  keys: ['size', 'steps', 'domain'],
  run: async (args, options) => {
    const n = 8 * Math.ceil(args.integer('size', 64, 16, 512) / 8);
    const domain = args.word('domain', 'cube', ['cube', 'ball']);
    const steps = args.integer('steps', 100, 1, 1_000_000);
    const setup = { ...poissonSetup({ n, domain }), mostIterations: steps };
    options.progress(0, 'compile');
    const begin = performance.now();
    const make = compiledPoisson(options);
    const solver = await make(setup);
    const compiled = performance.now();
    options.progress(0.3, 'solve');
    const { x, norms } = solver.solve();
    const cut = options.args.steps !== undefined && norms.length > steps;
    return {
      metrics: { cells: 512 * (setup.blocks.length / 3), iterations: norms.length - 1 },
      ms: { compile: compiled - begin },
      picture: poissonPicture(setup, x),
      check: async () => [
        reached('residual', residualNorm(setup, x) / norms[0], rounding(options, 1e-4, 2e-6), !cut),
        ...(await checkPoisson(make, { n: 32, rounding: rounding(options, 1e-6, 1e-14) })),
      ],
      ours: solver.run,
      byHand: async () => {
        const byHand = await nativePoisson(options.dtype, options.threads);
        if (typeof byHand === 'string') return byHand;
        const hand = byHand(setup);
        return { run: () => void hand.run(), close: hand.close };
      },
      samples: 7,
      close: solver.close,
    };
  },
});
