import type { Builder, Value } from '@filigree/ir';
import type { Reversal } from './reversal.js';

/**
 * Contributions of results that may be unreached: 0 where all of their adjoints are, whatever the contributions are there. Those
 * of others stay as they are.
 */
export const whereReached = (
  r: Reversal,
  b: Builder,
  results: readonly Value[],
  seeds: readonly Value[],
): ((contribution: Value) => Value) => {
  if (!results.some((v) => r.unreached.has(v.id))) return (contribution) => contribution;
  const untouched = seeds
    .map((seed) => b.cmp('eq', seed, b.constant(0, seed.type)))
    .reduce((all, one) => b.value('arith.and', [all, one]));
  return (contribution) => b.select(untouched, b.constant(0, contribution.type), contribution);
};
