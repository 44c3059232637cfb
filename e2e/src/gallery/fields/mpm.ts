import { peakRssMB } from '@filigree/runtime';
import type { Example, ExampleOptions } from 'filigree';
import { atMost } from '../../fields/finding.js';
import { checkMpm, farthestApart } from '../../fields/mpm/check.js';
import { kernelMpm } from '../../fields/mpm/compiled.js';
import type { MakeMpm, Mpm, MpmSetup } from '../../fields/mpm/mpm.js';
import { nativeMpm } from '../../fields/mpm/native.js';
import { mpmPicture } from '../../fields/mpm/picture.js';
import { referenceMpm } from '../../fields/mpm/reference.js';
import { mpm2dSetup, spinning2d } from '../../fields/mpm2d/setup.js';
import { argumentsOf } from '../arguments.js';
import { interleavedMedians } from '../run-program.js';
import { lineCounts, measured, writePicture } from './common.js';

/** Jelly that falls: a picture of where it lies, the laws of motion checked on smaller bodies. */
export const mpm2dExample: Example = {
  name: 'mpm2d',
  rows: ['TA2.9'],
  summary: 'jelly by the moving-least-squares material point method (size=NODES, steps=…, out=DIR)',
  run: async (options: ExampleOptions) => {
    const args = argumentsOf(options.args, ['size', 'steps', 'out']);
    const setup = mpm2dSetup({ n: args.integer('size', 128, 32, 4096), seed: options.seed });
    const steps = args.integer('steps', 3000, 1, 1_000_000);

    options.progress(0, 'compile');
    const begin = performance.now();
    const make = kernelMpm(options);
    const mpm = await make(setup);
    const compiled = performance.now();
    for (let done = 0; done < steps; done += STRIDE) {
      options.progress(0.2 + (0.5 * done) / steps, 'simulate');
      await mpm.step(Math.min(STRIDE, steps - done));
    }
    const step = (performance.now() - compiled) / steps;
    const picture = writePicture(args.text('out', 'out'), 'mpm2d', mpmPicture(setup, await mpm.state()));

    options.progress(0.7, 'check');
    const findings = await findingsOf(make, options);
    options.progress(0.9, 'time');
    const timed = options.bench ? await compared(mpm, setup, options) : undefined;
    mpm.close?.();
    options.progress(1, 'done');
    return {
      metrics: {
        particles: setup.body.length,
        steps,
        ...measured(findings),
        ...lineCounts('mpm2d'),
        picture,
        peakRssMB: peakRssMB(),
      },
      check: { passed: findings.every((f) => f.passed) },
      ms: { compile: compiled - begin, step, ...(timed && { step: timed.step }) },
      ...(timed?.native !== undefined && { baselines: { native: timed.native } }),
    };
  },
};

/** Steps between reports of progress. */
const STRIDE = 20;

const ROUNDING = { f64: 1e-11, f32: 1e-5 };

/** Physics, and the plain program over the same steps. */
const findingsOf = async (make: MakeMpm, { dtype }: ExampleOptions) => {
  const flying = spinning2d(32);
  const physics = await checkMpm(make, {
    falling: mpm2dSetup({ n: 32 }),
    fallSteps: 40,
    flying,
    flightSteps: 400,
    rounding: ROUNDING[dtype],
  });
  const [ours, plain] = [await make(flying), await referenceMpm(flying)];
  await ours.step(20);
  await plain.step(20);
  const apart = farthestApart(flying, await ours.state(), await plain.state());
  ours.close?.();
  return [...physics, atMost('distance from the plain program, in nodes', apart, dtype === 'f64' ? 1e-10 : 2e-3)];
};

/** Milliseconds a step, beside the C++ by hand where it can be compiled; both start from the same particles. */
const compared = async (mpm: Mpm, setup: MpmSetup, options: ExampleOptions) => {
  const byHand = await nativeMpm(setup.dim, options.dtype, options.threads);
  if (typeof byHand === 'string')
    return { step: interleavedMedians([() => void mpm.step(1)], 21)[0], native: undefined };
  const hand = byHand(setup);
  const [step, native] = interleavedMedians([() => void mpm.step(1), () => hand.step(1)], 41);
  hand.close();
  return { step, native };
};
