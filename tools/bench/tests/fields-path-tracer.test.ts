import { checkPathTracer, nativeRenderer, pathTracerSetup, referenceRenderer } from '@filigree/e2e';
import { describe, expect, it } from 'vitest';
import { compiled, dtypes, expectPassed, failures, native } from './fields-support.js';

describe('volumetric path tracer', () => {
  it('the reference obeys Beer and Lambert, and passes the furnace', async () => {
    expectPassed(await checkPathTracer(referenceRenderer));
  });

  it.skipIf(!native).each(dtypes)('so does the code by hand, in %s', async (dtype) => {
    const make = compiled(await nativeRenderer(dtype, 2));
    expectPassed(await checkPathTracer(make));
  });

  it.skipIf(!native)('the code by hand gives the picture of the reference, within the noise', async () => {
    const make = compiled(await nativeRenderer('f32', 2));
    const { cloud, view } = pathTracerSetup({ n: 32, size: 16, samples: 64 });
    const hand = make(cloud);
    // Quarters of the picture, each by two seeds: their difference is a measure of the noise.
    const quarters = (image: Float64Array): number[] =>
      [0, 1, 2, 3].map((q) =>
        image.reduce((sum, x, k) => sum + (Math.floor(k / 128) * 2 + (Math.floor(k / 8) % 2) === q ? x / 64 : 0), 0),
      );
    const runs = [1, 2, 3, 4, 5, 6, 7, 8].map((seed) => quarters(hand.render(view, seed)));
    const expected = quarters(await referenceRenderer(cloud).render({ ...view, samples: 256 }, 9));
    expected.forEach((value, q) => {
      const values = runs.map((r) => r[q]);
      const mean = values.reduce((a, b) => a + b) / values.length;
      const deviation = Math.sqrt(values.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (values.length - 1));
      // The reference has half the paths of all runs together.
      expect(Math.abs(mean - value)).toBeLessThan(5 * deviation * Math.sqrt(1 / 8 + 1 / 4));
    });
    expect(hand.render(view, 1)).toEqual(hand.render(view, 1));
    expect(hand.render(view, 1)).not.toEqual(hand.render(view, 2));
    hand.close();
  });

  it('the checks see a cloud that is too thin, and scattering that loses light', async () => {
    const thin = failures(
      await checkPathTracer((cloud) => {
        const renderer = referenceRenderer(cloud);
        return {
          render: (view, seed) =>
            renderer.render({ ...view, extinction: 0.8 * view.extinction, albedo: 0.9 * view.albedo }, seed),
        };
      }),
    );
    expect(thin).toContain('slab: transmittance, in standard errors');
    expect(thin).toContain('furnace: distance from one of the darkest and brightest pixel');
    expect(thin).toContain('light scattered once, in standard errors');
  });
});
