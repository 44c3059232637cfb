import type { Example } from 'filigree';
import { atMost } from '../../fields/finding.js';
import { checkMpm, farthestApart } from '../../fields/mpm/check.js';
import { compiledMpm } from '../../fields/mpm/compiled.js';
import { nativeMpm } from '../../fields/mpm/native.js';
import { mpmPicture } from '../../fields/mpm/picture.js';
import { referenceMpm } from '../../fields/mpm/reference.js';
import { mpm2dSetup, spinning2d } from '../../fields/mpm2d/setup.js';
import { mpm3dSetup, spinning3d } from '../../fields/mpm3d/setup.js';
import { fieldExample, rounding } from './application.js';

/** Jelly that falls on the floor, by the moving-least-squares material point method. */
export const mpmExample = (dim: 2 | 3): Example => {
  const { setupOf, spinning, size, small, steps } =
    dim === 2
      ? { setupOf: mpm2dSetup, spinning: spinning2d, size: 128, small: 32, steps: 3000 }
      : { setupOf: mpm3dSetup, spinning: spinning3d, size: 64, small: 16, steps: 300 };
  return fieldExample({
    name: `mpm${dim}d`,
    shows: `jelly falls on the floor: the material point method in ${dim} dimensions`,
    takes: 'size=NODES, steps=…',
    keys: ['size', 'steps'],
    run: async (args, options) => {
      const setup = setupOf({ n: 8 * Math.ceil(args.integer('size', size, 16, 4096) / 8), seed: options.seed });
      const count = args.integer('steps', steps, 1, 1_000_000);
      options.progress(0, 'compile');
      const begin = performance.now();
      const make = compiledMpm(options);
      const mpm = await make(setup);
      const compiled = performance.now();
      for (let done = 0; done < count; done += STRIDE) {
        options.progress(0.1 + (0.5 * done) / count, 'simulate');
        mpm.step(Math.min(STRIDE, count - done));
      }
      const step = (performance.now() - compiled) / count;
      return {
        metrics: { particles: setup.body.length, steps: count },
        ms: { compile: compiled - begin, step },
        picture: mpmPicture(setup, mpm.state()),
        check: async () => {
          const flying = spinning(small);
          const exact = rounding(options, 1e-5, 1e-11);
          const laws = { falling: setupOf({ n: small }), fallSteps: 30, flying, flightSteps: 100, rounding: exact };
          const findings = await checkMpm(make, laws);
          const [ours, plain] = [await make(flying), referenceMpm(flying)];
          ours.step(20);
          await plain.step(20);
          const apart = farthestApart(flying, ours.state(), await plain.state());
          ours.close();
          return [...findings, atMost('distance from the plain program, in nodes', apart, 200 * exact)];
        },
        ours: () => mpm.step(1),
        byHand: async () => {
          const byHand = await nativeMpm(dim, options.dtype, options.threads);
          if (typeof byHand === 'string') return byHand;
          const hand = byHand({ ...setup, start: mpm.state() });
          return { run: () => hand.step(1), close: hand.close };
        },
        samples: 41,
        close: mpm.close,
      };
    },
  });
};

/** Steps between reports of progress. */
const STRIDE = 20;
