import { evaluateAffine, type Affine } from '../../trace/piece.js';
import { equalsZero, negated, shiftedBy, type Conjunction } from '../sets/conjunction.js';
import { somePoint } from '../sets/some-point.js';
import { rangeOf } from '../sets/integer-points.js';

/** An index that some iteration of a set gives and a buffer of `length` elements does not have: the farthest, mostly. */
export const outsideOf = (set: Conjunction, index: Affine, length: number): number | undefined => {
  const range = rangeOf(set, index);
  if (range === undefined || (range.min >= 0 && range.max < length)) return undefined;
  const below = range.min < 0;
  const farthest = below ? range.min : range.max;
  /* The range may be that of points between iterations, so an iteration is looked for. */
  for (const beyond of [
    equalsZero(shiftedBy(index, -farthest)),
    [below ? negated(index) : shiftedBy(index, -length)],
  ]) {
    const point = somePoint([...set, ...beyond]);
    if (point !== undefined) return point === 'unknown' ? farthest : evaluateAffine(index, point);
  }
  return below && range.max >= length ? outsideOf([...set, index], index, length) : undefined;
};
