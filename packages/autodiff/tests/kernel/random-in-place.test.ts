import { expect, it } from 'vitest';
import { blockInPlace } from './random-code.js';
import { expectDifferences } from './random-differences.js';

it('random kernels that overwrite what they read have the gradients that differences tell', () => {
  const { tried, smooth } = expectDifferences(blockInPlace, { later: [0.7, -1.3, 0.4, 1.1], numRuns: 12 });
  expect(smooth).toBeGreaterThan(2 * tried);
});
