import type { Affine } from '../../trace/piece.js';
import { rangeOf, tidy, type Conjunction } from '../sets/conjunction.js';
import type { Box } from '../sets/box.js';
import type { PointSet } from '../sets/point-set.js';

/**
 * A term to evaluate: the points x under conditions whose images lie in some sets, projected to some iterators. Iterators
 * that are projected away need only exist.
 */
export interface Query {
  readonly dims: number;
  readonly where: Conjunction;
  readonly atoms: readonly QueryAtom[];
  /** The iterators that are kept, in the order of the result's subscripts. */
  readonly head: readonly number[];
  readonly result: Box;
  /** The range of every iterator. */
  readonly ranges: readonly Range[];
}

export interface QueryAtom {
  readonly at: readonly Affine[];
  readonly in: AtomSet;
}

/** A set to go through, or one that grows and can only be asked. */
export type AtomSet = { readonly set: PointSet } | { readonly box: Box; readonly has: (code: number) => boolean };

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The ranges of iterators under conditions; undefined where they have no point. */
export const rangesOf = (where: Conjunction, dims: number): readonly Range[] | undefined => {
  if (tidy(where) === undefined) return undefined;
  const ranges: Range[] = [];
  for (let d = 0; d < dims; d++) {
    const r = rangeOf(where, { constant: 0, coefs: [...new Array<number>(d).fill(0), 1] });
    if (r === undefined) return undefined;
    ranges.push(r);
  }
  return ranges;
};
