import { reached } from '../../fields/finding.js';
import { checkFem } from '../../fields/fem/check.js';
import { compiledFem } from '../../fields/fem/compiled.js';
import { nativeFem } from '../../fields/fem/native.js';
import { femPicture } from '../../fields/fem/picture.js';
import { femSetup } from '../../fields/fem/setup.js';
import { fieldExample, rounding } from './application.js';

/** A body that sags under its weight: linear elasticity by finite elements without an assembled matrix. */
export const femExample = fieldExample({
  name: 'fem',
  shows: 'a body in the shape of a mesh sags under its weight: linear elasticity by finite elements',
  takes: 'size=CELLS, steps=ITERATIONS at most, mesh=FILE',
  keys: ['size', 'steps', 'mesh'],
  run: async (args, options) => {
    const mesh = args.mesh();
    const n = 8 * Math.ceil(args.integer('size', 32, 16, 512) / 8);
    const steps = args.integer('steps', 2000, 1, 1_000_000);
    const setup = { ...femSetup({ n, ...(mesh && { mesh }) }), mostIterations: steps };
    options.progress(0, 'compile');
    const begin = performance.now();
    const make = compiledFem(options);
    const solver = await make(setup);
    const compiled = performance.now();
    options.progress(0.3, 'solve');
    const { u, norms } = solver.solve();
    const solved = performance.now();
    const cut = options.args.steps !== undefined && norms.length > steps;
    return {
      metrics: {
        cells: setup.mu.filter((m) => m > 0).length,
        nodes: setup.free.filter((f) => f > 0).length,
        iterations: norms.length - 1,
      },
      ms: { compile: compiled - begin, solve: solved - compiled },
      picture: femPicture(setup, u),
      check: async () => [
        reached('residual', norms[norms.length - 1] / norms[0], setup.tolerance, !cut),
        ...(await checkFem(make, { rounding: rounding(options, 1e-6, 1e-14) })),
      ],
      ours: solver.runMultiply,
      byHand: async () => {
        const byHand = await nativeFem(options.dtype, options.threads);
        if (typeof byHand === 'string') return byHand;
        const hand = byHand(setup);
        return { run: hand.runMultiply, close: hand.close };
      },
      samples: 41,
      close: solver.close,
    };
  },
});
