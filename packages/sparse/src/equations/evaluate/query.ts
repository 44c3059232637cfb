import type { Affine } from '../../trace/piece.js';
import type { Atom, Term } from '../recurrences/sparsity.js';
import { iterator, tidy, times, type Conjunction } from '../sets/conjunction.js';
import type { Box } from '../sets/box.js';
import type { PointSet } from '../sets/point-set.js';
import { rangeOf } from '../sets/integer-points.js';

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

/** A set that can be enumerated, or one that is still growing and can only be asked for single points. */
export type AtomSet = { readonly set: PointSet } | GrownSet;

export interface GrownSet {
  readonly box: Box;
  readonly has: (code: number) => boolean;
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The part of a query that does not depend on the sets: computed once, used for many inputs. */
export interface QueryForm extends Omit<Query, 'atoms'> {
  readonly atoms: readonly Atom[];
  /** Whether it gives every point of the result's box where all of its sets are full: its conditions are the box's alone. */
  readonly fillsBox: boolean;
}

/**
 * A term of a statement with `iterators` iterators as a form that keeps some of them; undefined where its conditions have no
 * point. Divisions that it names are further iterators of the form, which are not kept.
 */
export const formOf = (t: Term, head: readonly number[], result: Box, iterators: number): QueryForm | undefined => {
  const { where, atoms, dims } = withDivisions(t, iterators);
  const ranges = rangesOf(where, dims);
  if (ranges === undefined) return undefined;
  const fillsBox =
    where.every((f) => f.coefs.filter((c) => c !== 0).length <= 1) &&
    head.every((d, k) => ranges[d].min === result.lower[k] && ranges[d].max === result.lower[k] + result.extent[k] - 1);
  return { dims, where, atoms, head, result, ranges, fillsBox };
};

/** A term where the divisions that it names are numbered one after another. */
const withDivisions = ({ where, atoms }: Term, iterators: number): Term & { readonly dims: number } => {
  const all = [...where, ...atoms.flatMap((a) => a.at)];
  const behind = Math.max(0, ...all.map((f) => f.coefs.length)) - iterators;
  if (behind <= 0) return { where, atoms, dims: iterators };
  const used = Array.from({ length: behind }, (_, k) => iterators + k).filter((d) =>
    all.some((f) => (f.coefs[d] ?? 0) !== 0),
  );
  const at = [...Array.from({ length: iterators }, (_, d) => d), ...used];
  const renumbered = (f: Affine): Affine => times({ constant: f.constant, coefs: at.map((d) => f.coefs[d] ?? 0) }, 1);
  return {
    where: where.map(renumbered),
    atoms: atoms.map((a) => ({ of: a.of, at: a.at.map(renumbered) })),
    dims: at.length,
  };
};

/** A form with sets, those that are full left out; undefined where one is empty. */
export const queryOf = (form: QueryForm, setOf: (of: number | string) => AtomSet): Query | undefined => {
  const atoms: QueryAtom[] = [];
  for (const { of, at } of form.atoms) {
    const from = setOf(of);
    if ('set' in from && from.set.count === 0) return undefined;
    if (!('set' in from) || from.set.count < from.set.box.size) atoms.push({ at, in: from });
  }
  const { dims, where, head, result, ranges } = form;
  return { dims, where, atoms, head, result, ranges };
};

/** The ranges of iterators under conditions; undefined where they have no point. */
export const rangesOf = (where: Conjunction, dims: number): readonly Range[] | undefined => {
  if (tidy(where) === undefined) return undefined;
  const ranges: Range[] = [];
  for (let d = 0; d < dims; d++) {
    const r = rangeOf(where, iterator(d));
    if (r === undefined) return undefined;
    ranges.push(r);
  }
  return ranges;
};
