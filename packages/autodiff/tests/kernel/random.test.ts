import { expect, it } from 'vitest';
import { block } from './random-code.js';
import { expectDifferences } from './random-differences.js';

it('random kernels with loops, breaks and branches have the gradients that differences tell', () => {
  const { tried, smooth } = expectDifferences(block, { later: [0, 0, 0, 0], numRuns: 60 });
  expect(smooth).toBeGreaterThan(2 * tried);
});
