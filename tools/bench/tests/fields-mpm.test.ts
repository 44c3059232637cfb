import {
  checkMpm,
  farthestApart,
  mpm2dSetup,
  mpm3dSetup,
  nativeMpm,
  referenceMpm,
  spinning2d,
  spinning3d,
  totals,
  type MpmCheckOptions,
  type MpmSetup,
} from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { compiled, dtypes, expectPassed, failures, native } from './fields-support.js';

/* The reference is slow where there are many particles. */
const STEPS = { 2: 20, 3: 10 };

const ROUNDING = { f64: 1e-11, f32: 1e-5 };

const problems = (dim: 2 | 3): Omit<MpmCheckOptions, 'rounding'> =>
  dim === 2
    ? { falling: mpm2dSetup({ n: 32 }), fallSteps: 40, flying: spinning2d(32), flightSteps: 400 }
    : { falling: mpm3dSetup({ n: 16 }), fallSteps: 10, flying: spinning3d(16), flightSteps: 60 };

describe.each([2, 3] as const)('MLS-MPM in %s dimensions', (dim) => {
  it('the reference obeys the laws of motion', async () => {
    const { flightSteps, ...rest } = problems(dim);
    expectPassed(await checkMpm(referenceMpm, { ...rest, flightSteps: flightSteps / 4, rounding: ROUNDING.f64 }));
  });

  it.skipIf(!native).each(dtypes)('so does the code by hand, in %s', async (dtype) => {
    const make = compiled(await nativeMpm(dim, dtype, 2));
    expectPassed(await checkMpm(make, { ...problems(dim), rounding: ROUNDING[dtype] }));
  });

  it.skipIf(!native).each(dtypes)('the code by hand moves particles as the reference does, in %s', async (dtype) => {
    const make = compiled(await nativeMpm(dim, dtype, 2));
    for (const setup of [problems(dim).flying, landing(dim)]) {
      const [hand, reference] = [make(setup), referenceMpm(setup)];
      hand.step(STEPS[dim]);
      await reference.step(STEPS[dim]);
      const end = await reference.state();
      expect(farthestApart(setup, hand.state(), end)).toBeLessThan(dtype === 'f64' ? 1e-10 : 2e-3);
      expect(farthestApart(setup, setup.start, end)).toBeGreaterThan(0.1);
      hand.reset();
      expect(farthestApart(setup, hand.state(), setup.start)).toBeLessThan(1e-5);
      hand.close();
    }
  });

  it.skipIf(!native)('bodies come to rest on the floor, within the walls', async () => {
    const make = compiled(await nativeMpm(dim, 'f32', 2));
    const setup = landing(dim);
    const mpm = make(setup);
    mpm.step(1500);
    const end = mpm.state();
    const low = setup.wall / setup.n - 1 / setup.n;
    expect(Math.min(...end.x)).toBeGreaterThan(low);
    expect(Math.max(...end.x)).toBeLessThan(1 - low);
    expect(totals(setup, end).energy).toBeLessThan(totals(setup, setup.start).energy);
    mpm.close();
  });

  it('the checks see lost momentum and gained energy', async () => {
    const leaky = (setup: MpmSetup): ReturnType<typeof referenceMpm> => {
      const mpm = referenceMpm(setup);
      return {
        step: mpm.step,
        state: async () => {
          const state = await mpm.state();
          return { ...state, v: state.v.map((v) => 1.1 * v) };
        },
      };
    };
    const found = failures(await checkMpm(leaky, { ...problems(dim), flightSteps: 10, rounding: ROUNDING.f32 }));
    expect(found).toContain('free fall: momentum gained against mass · g · t');
    expect(found).toContain('free flight: change of angular momentum');
    expect(found).toContain('free flight: energy gained in a tenth of the time');
  });
});

/** A body thrown at the floor from just above it. */
const landing = (dim: 2 | 3): MpmSetup => {
  const setup = dim === 2 ? spinning2d(32) : spinning3d(16);
  const { x, v } = setup.start;
  const down = x.map((c, k) => (k % dim === 1 ? c - 0.2 : c));
  return {
    ...setup,
    gravity: 9.8,
    start: { ...setup.start, x: down, v: v.map((c, k) => (k % dim === 1 ? -3 : 0.2 * c)) },
  };
};
