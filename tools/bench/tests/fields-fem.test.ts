import { boxSetup, checkFem, femSetup, nativeFem, referenceFem } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { compiled, dtypes, expectPassed, failures, native } from './fields-support.js';

const ROUNDING = { f64: 1e-14, f32: 1e-6 };

describe('linear elasticity', () => {
  it('the reference passes the patch test and its kin', async () => {
    expectPassed(await checkFem(referenceFem, { rounding: ROUNDING.f64 }));
  });

  it.skipIf(!native).each(dtypes)('so does the code by hand, in %s', async (dtype) => {
    const make = compiled(await nativeFem(dtype, 2));
    expectPassed(await checkFem(make, { rounding: ROUNDING[dtype] }));
  });

  it.skipIf(!native).each(dtypes)(
    'a body under its weight sags, and its forces balance the load, in %s',
    async (dtype) => {
      const make = compiled(await nativeFem(dtype, 2));
      const setup = { ...femSetup({ n: 48 }), tolerance: 1e-4 };
      const fem = make(setup);
      const { u, norms } = fem.solve();
      expect(norms[norms.length - 1] / norms[0]).toBeLessThanOrEqual(1e-4);
      const mean = u.reduce((sum, x, k) => sum + (k % 3 === 1 ? x : 0), 0);
      expect(mean).toBeLessThan(0);
      const forces = fem.multiply(u);
      // The residual that is followed through the iteration drifts away from the true one by rounding.
      const left = norm(forces.map((f, k) => f - setup.load[k])) / norm(setup.load);
      expect(left).toBeLessThan(dtype === 'f64' ? 1.001e-4 : 1e-2);
      fem.close();
    },
  );

  it('the checks see a wrong element matrix', async () => {
    const wrong = failures(
      await checkFem((setup) => referenceFem({ ...setup, lambda: setup.lambda.map((l, c) => l * (1 + (c % 2))) }), {
        rounding: ROUNDING.f32,
      }),
    );
    expect(wrong).toContain('product against the assembled matrix');
    expect(wrong).toContain('energy of a linear displacement');
    expect(wrong).toContain('its forces on inner nodes');
  });

  it('a box has the nodes of its cells', () => {
    const nodes = boxSetup(8, [1, 1, 1], [3, 4, 2]).free.reduce((sum, f) => sum + f, 0);
    expect(nodes).toBe(3 * 4 * 2);
  });
});

const norm = (v: Float64Array): number => Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
