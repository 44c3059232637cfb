import { peakRssMB } from '@filigree/runtime';
import type { Example, ExampleOptions } from 'filigree';
import { checkPoisson } from '../../fields/mgpcg/check.js';
import { compiledPoisson, type CompiledPoisson } from '../../fields/mgpcg/compiled.js';
import { nativePoisson } from '../../fields/mgpcg/native.js';
import { poissonPicture } from '../../fields/mgpcg/picture.js';
import { residualNorm } from '../../fields/mgpcg/reference.js';
import { poissonSetup, type PoissonSetup } from '../../fields/mgpcg/setup.js';
import { argumentsOf } from '../arguments.js';
import { interleavedMedians } from '../run-program.js';
import { lineCounts, measured, writePicture } from './common.js';

/** Poisson's equation by conjugate gradients with a multigrid preconditioner, on a ball or a cube of blocks. */
export const mgpcgExample: Example = {
  name: 'mgpcg',
  rows: ['TA2.9'],
  summary:
    "multigrid-preconditioned conjugate gradients for Poisson's equation (size=CELLS, domain=cube|ball, out=DIR)",
  run: async (options: ExampleOptions) => {
    const args = argumentsOf(options.args, ['size', 'domain', 'out']);
    const n = 8 * Math.ceil(args.integer('size', 64, 16, 512) / 8);
    const setup = poissonSetup({ n, domain: args.word('domain', 'cube', ['cube', 'ball']) });

    options.progress(0, 'compile');
    const begin = performance.now();
    const make = compiledPoisson(options);
    const solver = await make(setup);
    const compiled = performance.now();
    options.progress(0.3, 'solve');
    const { x, norms } = await solver.solve();
    const solve = performance.now() - compiled;
    const picture = writePicture(args.text('out', 'out'), 'mgpcg', poissonPicture(setup, x));

    options.progress(0.5, 'check');
    const residual = residualNorm(setup, x) / norms[0];
    const findings = await checkPoisson(make, { n: 32, rounding: options.dtype === 'f64' ? 1e-14 : 1e-6 });
    options.progress(0.8, 'time');
    const timed = options.bench ? await compared(solver, setup, options) : undefined;
    solver.close();
    options.progress(1, 'done');
    return {
      metrics: {
        cells: 512 * (setup.blocks.length / 3),
        iterations: norms.length - 1,
        residual,
        ...measured(findings),
        ...lineCounts('mgpcg'),
        picture,
        peakRssMB: peakRssMB(),
      },
      check: { passed: findings.every((f) => f.passed) && residual <= (options.dtype === 'f64' ? 2e-6 : 1e-4) },
      ms: { compile: compiled - begin, solve: timed?.solve ?? solve },
      ...(timed?.native !== undefined && { baselines: { native: timed.native } }),
    };
  },
};

/** Milliseconds a solution, beside the C++ by hand where it can be compiled; both include writing the right-hand side. */
const compared = async (solver: CompiledPoisson, setup: PoissonSetup, options: ExampleOptions) => {
  const byHand = await nativePoisson(options.dtype, options.threads);
  if (typeof byHand === 'string') return { solve: interleavedMedians([solver.run], 5)[0], native: undefined };
  const hand = byHand(setup);
  const [solve, native] = interleavedMedians([solver.run, () => void hand.run()], 7);
  hand.close();
  return { solve, native };
};
