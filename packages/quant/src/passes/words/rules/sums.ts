import { integerRange } from '@filigree/ir';
import { isInteger, scalarOf } from '../lanes.js';
import { rangeOfSum, sumOf, uncancelled, wrapped } from '../sliced.js';
import { coordinate } from './coordinates.js';
import type { Rule } from './rule.js';

/** Terms of a sum that is not made before somebody asks for it. */
const MOST_TERMS = 64;

/** A sum or a difference, whose terms are put together with those of the sums that it is made of. */
export const add =
  (sign: boolean): Rule =>
  (loop, op) => {
    const moved = coordinate(loop, op, sign);
    if (moved) return moved;
    if (!loop.varying(op) || !op.operands.every(isInteger)) return undefined;
    const type = scalarOf(op.results[0]);
    if (type === 'i1') return undefined;
    const [x, y] = [loop.terms(op.operands[0], false), loop.terms(op.operands[1], sign)];
    const sum = { terms: uncancelled([...x.terms, ...y.terms]), constant: x.constant + y.constant };
    const range = rangeOfSum(sum.terms, sum.constant);
    const [least, most] = integerRange(type);
    return range.lo >= least && range.hi <= most && sum.terms.length <= MOST_TERMS
      ? { is: 'sum', ...sum, type }
      : { is: 'sliced', x: sumOf(loop.gates, sum.terms, sum.constant, wrapped(range, [least, most])) };
  };

/** A number below zero instead of above it. */
export const negated: Rule = (loop, op) => {
  if (!loop.varying(op) || !isInteger(op.results[0])) return undefined;
  const { terms, constant } = loop.terms(op.operands[0], true);
  const bounds = wrapped(rangeOfSum(terms, constant), integerRange(scalarOf(op.results[0])));
  return { is: 'sliced', x: sumOf(loop.gates, terms, constant, bounds) };
};
