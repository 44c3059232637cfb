import { checkPoisson, maxRelError, nativePoisson, poissonSetup, referencePoisson } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { compiled, dtypes, expectPassed, failures, native } from './fields-support.js';

const ROUNDING = { f64: 1e-14, f32: 1e-6 };

describe('multigrid-preconditioned conjugate gradients', () => {
  it('the reference finds exact solutions at the expected rate', async () => {
    expectPassed(await checkPoisson(referencePoisson, { n: 32, rounding: ROUNDING.f64 }));
  });

  it.skipIf(!native).each(dtypes)('so does the code by hand, in %s', async (dtype) => {
    const make = compiled(await nativePoisson(dtype, 2));
    expectPassed(await checkPoisson(make, { n: 32, rounding: ROUNDING[dtype] }));
  });

  it.skipIf(!native).each(dtypes)(
    'the code by hand takes the same steps as the reference, also on a ball of blocks, in %s',
    async (dtype) => {
      const make = compiled(await nativePoisson(dtype, 2));
      for (const setup of [poissonSetup({ n: 32 }), poissonSetup({ n: 48, domain: 'ball', levels: 2 })]) {
        const hand = make(setup);
        const found = hand.solve();
        const expected = await referencePoisson(setup).solve();
        expect(found.norms).toHaveLength(expected.norms.length);
        expect(maxRelError(found.norms, expected.norms)).toBeLessThan(100 * ROUNDING[dtype]);
        expect(maxRelError(found.x, expected.x)).toBeLessThan(100 * ROUNDING[dtype]);
        hand.close();
      }
    },
  );

  it('a ball leaves out the blocks at the corners of the cube', () => {
    const cube = poissonSetup({ n: 64 }).blocks.length;
    const ball = poissonSetup({ n: 64, domain: 'ball' }).blocks.length;
    expect(ball).toBeLessThan(cube);
    expect(ball).toBeGreaterThan(cube / 2);
  });

  it('the checks see a solver that is not preconditioned, and one that lies about its residual', async () => {
    const lazy = failures(
      await checkPoisson(
        (setup) => {
          const solver = referencePoisson({ ...setup, levels: 1, bottom: 1 });
          return {
            ...solver,
            solve: async () => {
              const { x, norms } = await solver.solve();
              return { x, norms: norms.map((r, k) => (k === 0 ? r : r + 1e-3 * norms[0])) };
            },
          };
        },
        { n: 32, rounding: ROUNDING.f64 },
      ),
    );
    expect(lazy).toContain('iterations that reduce the residual by a million');
    expect(lazy).toContain('convergence factor of a V-cycle');
    expect(lazy).toContain('residual reported against that of the solution');
  });
});
