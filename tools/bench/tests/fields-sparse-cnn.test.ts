import { checkCnn, cnnSetup, nativeCnn, referenceCnn } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { compiled, dtypes, expectPassed, failures, native } from './fields-support.js';

const ROUNDING = { f64: 1e-14, f32: 1e-6 };

describe.each(['surface', 'solid'] as const)('sparse convolution on the %s of a mesh', (fill) => {
  const setup = cnnSetup({ n: 24, fill });

  it('the reference has the properties of a convolution', async () => {
    expect(setup.voxels.length).toBeGreaterThan(1500);
    expectPassed(await checkCnn(referenceCnn, { setup, rounding: ROUNDING.f64 }));
  });

  it.skipIf(!native).each(dtypes)('the code by hand equals the direct sum, in %s', async (dtype) => {
    const make = compiled(await nativeCnn(dtype, 2));
    expectPassed(await checkCnn(make, { setup, rounding: ROUNDING[dtype] }));
  });

  it('the checks see weights that are mirrored', async () => {
    const mirrored = failures(
      await checkCnn(
        (s) =>
          referenceCnn({
            ...s,
            weights: s.weights.map((_, k) => s.weights[(26 - Math.floor(k / 256)) * 256 + (k % 256)]),
          }),
        {
          setup,
          rounding: ROUNDING.f32,
        },
      ),
    );
    expect(mirrored).toEqual(['largest error against the direct sum', 'answer to one voxel against the weights']);
  });
});
