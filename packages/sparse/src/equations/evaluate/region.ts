import type { Term } from '../recurrences/sparsity.js';
import type { Box } from '../sets/box.js';
import { emptySet, type PointSet } from '../sets/point-set.js';
import { setBuilder } from '../sets/set-builder.js';
import { prepare, type Evaluation } from './evaluate.js';
import { countOf, runJoin, type Prepared } from './join.js';
import { queryOf } from './query.js';
import { MOST_OVERLAPS, type Overlap, type RegionPlan } from './region-plan.js';

/**
 * The interest region of a statement: the iterations that compute something other than zero, and of an accumulation those
 * that add something. Kept as joins of sets, since it may be far larger than they are, and listed on demand.
 */
export interface InterestRegion {
  readonly statement: number;
  readonly iterators: readonly string[];
  readonly box: Box;
  /** Iterations. */
  readonly count: number;
  /** Iterations of the dense program. */
  readonly dense: number;
  /** The terms whose union it is, over variables of the evaluation. */
  readonly terms: readonly Term[];
  /** Whether it is the set of the statement's values as well. */
  readonly isValue: boolean;
  /** The joins whose union it is; made once. */
  readonly joins: () => readonly Prepared[];
  /** All iterations as a set; computed once. Its box may be too large for bits: then it takes 16 bytes a run. */
  readonly points: () => PointSet;
}

/** The region of a plan for evaluated variables. */
export const regionOf = (plan: RegionPlan, { values, initial, tries }: Evaluation): InterestRegion => {
  const { statement, iterators, box, dense, terms, isValue, parts } = plan;
  const setOf = (of: number | string): { set: PointSet } => ({
    set: typeof of === 'number' ? values[of] : initial.get(of)!,
  });
  const joined = ({ form, further }: Overlap): Joined[] => {
    const q = queryOf(form, setOf);
    return q === undefined ? [] : [{ further, join: prepare(q, tries, true) }];
  };
  const common = { statement, iterators, box, dense, terms, isValue };
  if (isValue) {
    const set = values[statement];
    const joins = once(() => parts.flatMap((o) => joined(o).map((j) => j.join)));
    return { ...common, count: set.count, joins, points: () => set };
  }
  const present = parts.flatMap(joined);
  const joins = present.map((j) => j.join);
  const points = once(() => listOf(box, joins));
  return { ...common, count: countUnion(present, joined) ?? points().count, joins: () => joins, points };
};

/** An overlap of terms with its sets, none of which is empty. */
interface Joined {
  readonly join: Prepared;
  readonly further: Overlap['further'];
}

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => (made ??= { value: make() }).value;
};

const listOf = (box: Box, joins: readonly Prepared[]): PointSet => {
  if (joins.length === 0) return emptySet(box);
  const builder = setBuilder(box);
  for (const j of joins) runJoin(j, builder);
  return builder.finish();
};

/**
 * Points of a union by inclusion and exclusion, which lists none of them; undefined where too many terms overlap, so that
 * listing is less work.
 */
const countUnion = (parts: readonly Joined[], joined: (o: Overlap) => readonly Joined[]): number | undefined => {
  let total = 0;
  let level = parts;
  for (let sign = 1; level.length > 0; sign = -sign) {
    if (level.length > MOST_OVERLAPS) return undefined;
    for (const { join } of level) total += sign * countOf(join);
    level = level.flatMap(({ further }) => further().flatMap(joined));
  }
  return total;
};
