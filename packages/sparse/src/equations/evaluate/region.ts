import { once } from '@filigree/ir';
import type { Term } from '../recurrences/sparsity.js';
import type { Box } from '../sets/box.js';
import { emptySet, type PointSet } from '../sets/point-set.js';
import { setBuilder } from '../sets/set-builder.js';
import type { Evaluation } from './evaluate.js';
import { runJoin } from './join.js';
import type { Prepared } from './prepared.js';
import { queryOf, type Query } from './query.js';
import { MOST_OVERLAPS, type Overlap, type RegionPlan } from './region-plan.js';
import { ordered, prepareAll, type Ordered, type Stores } from './stores.js';
import { within } from './union.js';
import { runHere } from './perform.js';
import { cuts, each, partsOf, type Platform, type Steps, type Work } from './work.js';

/**
 * The interest region of a statement: the iterations that compute something other than zero or, for an accumulation,
 * those that add something. Kept as joins of sets, since it may be far larger than they are, and listed on demand.
 */
export interface InterestRegion {
  readonly statement: number;
  readonly iterators: readonly string[];
  readonly box: Box;
  /** Number of iterations in the region. */
  readonly count: number;
  /** Number of iterations of the dense program. */
  readonly dense: number;
  /** The terms whose union it is, over variables of the evaluation. */
  readonly terms: readonly Term[];
  /** Whether the region is also the set of iterations whose value is non-zero. */
  readonly isValue: boolean;
  /** The joins whose union it is; made once. */
  readonly joins: () => readonly Prepared[];
  /** All iterations as a set; computed once. Its box may be too large for bits: then it takes 16 bytes a run. */
  readonly points: () => PointSet;
}

/** The region of a plan for evaluated variables. */
export function* regionOf(plan: RegionPlan, evaluation: Evaluation, platform: Platform): Steps<InterestRegion> {
  const { statement, iterators, box, dense, terms, isValue, parts } = plan;
  const { values, initial, stores } = evaluation;
  const joined = ({ form, further }: Overlap): Joined[] => {
    const query = queryOf(form, (of) => ({ set: typeof of === 'number' ? values[of] : initial.get(of)! }));
    return query === undefined ? [] : [{ further, query }];
  };
  const present = once(() => parts.flatMap(joined));
  const joins = once(() => {
    const visits = present().map(({ query }) => ordered(query, 'visit'));
    return runHere(prepareAll(visits, stores));
  });
  const common = { statement, iterators, box, dense, terms, isValue, joins };
  if (isValue) return { ...common, count: values[statement].count, points: () => values[statement] };
  const points = once(() => listOf(box, joins()));
  const count = yield* countUnion(present(), joined, stores, platform);
  return { ...common, count: count ?? points().count, points };
}

/** An overlap of terms with its sets, none of which is empty. */
interface Joined {
  readonly query: Query;
  readonly further: Overlap['further'];
}

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
function* countUnion(
  parts: readonly Joined[],
  joined: (o: Overlap) => readonly Joined[],
  stores: Stores,
  platform: Platform,
): Steps<number | undefined> {
  const counts: Ordered[] = [];
  const signs: number[] = [];
  let level = parts;
  for (let sign = 1; level.length > 0; sign = -sign) {
    if (level.length > MOST_OVERLAPS) return undefined;
    for (const { query } of level) {
      counts.push(ordered(query, 'count'));
      signs.push(sign);
    }
    level = level.flatMap(({ further }) => further().flatMap(joined));
  }
  const joins = yield* prepareAll(counts, stores);
  const works = joins.map((join, k) => counting(join, counts[k].cost, platform));
  const found = yield* each(works.flat());
  let total = 0;
  let n = 0;
  works.forEach((parts, k) => parts.forEach(() => (total += signs[k] * found[n++])));
  return total;
}

/** A count in parts, by the iterator that is bound first. */
const counting = (join: Prepared, cost: number, platform: Platform): readonly Work<number>[] => {
  if (join.order.length === 0) return [{ kind: 'count', join, cost }];
  const [d] = join.order;
  const { min, max } = join.query.ranges[d];
  const parts = cuts(max - min + 1, partsOf(cost, platform), 1);
  return parts.map(([from, to]): Work<number> => {
    const range = { min: min + from, max: min + to - 1 };
    return { kind: 'count', join: within(join, d, range), cost: cost / parts.length };
  });
};
