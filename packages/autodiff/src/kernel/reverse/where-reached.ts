import type { Builder, Op, Value } from '@filigree/ir';
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
  return (contribution) =>
    b.value('arith.select', [untouched, b.constant(0, contribution.type), contribution], { [UNTOUCHED]: true });
};

/** What such a choice is marked by. */
const UNTOUCHED = 'untouched';

/**
 * The adjoints by which it is chosen that something contributes nothing; undefined for other ops. Whoever differentiates the adjoint once more asks for their tangents too: an adjoint of 0 that is
 * about to change contributes.
 */
export const adjointsAsked = (op: Op, definition: (v: Value) => Op | undefined): readonly Value[] | undefined => {
  if (op.attrs[UNTOUCHED] !== true) return undefined;
  const asked = (v: Value): readonly Value[] => {
    const made = definition(v);
    return made?.name === 'arith.and' ? made.operands.flatMap(asked) : made ? made.operands.slice(0, 1) : [];
  };
  return asked(op.operands[0]);
};
