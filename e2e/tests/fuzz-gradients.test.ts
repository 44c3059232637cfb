import { cpp } from '@filigree/backend-cpp';
import { expect, it } from 'vitest';
import { fuzzGradients } from './fuzz/gradients/fuzz.js';
import { share } from './share.js';

const usable = (await cpp().probe()).usable;

/* A small part of `npm run fuzz -- gradients`, always the same kernels: five layouts on each backend, of which one compiles for seconds. */
it.each([['wasm', 20] as const, ...(usable ? [['cpp', 6] as const] : [])])(
  'random kernels have the gradients that tangents and differences tell, and the second derivatives: %s',
  { timeout: 240_000 },
  async (backend, most) => {
    const count = Math.ceil(most * share);
    const { tried, faults, refused, compared, passedOver, twice } = await fuzzGradients({
      seed: 3,
      count,
      backends: [backend],
      most: 1,
      say: () => {},
    });
    expect(faults).toEqual([]);
    expect(tried).toBe(count);
    /* Extrema and sums into one element, of which nobody knows whether they meet; and losses of which tangents tell that they follow from nothing. */
    const known = ['adjoint/extremum', 'tape/independent, second derivatives'];
    expect([...refused.keys()].filter((code) => !known.includes(code))).toEqual([]);
    expect(compared + passedOver).toBeGreaterThan(0.7 * count);
    expect(compared).toBeGreaterThan(0.4 * count);
    expect(twice).toBeGreaterThan(0.4 * count);
  },
);
