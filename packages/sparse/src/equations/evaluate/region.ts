import type { SparsityEquation, Term } from '../recurrences/sparsity.js';
import { isEmpty, type Conjunction } from '../sets/conjunction.js';
import type { Box } from '../sets/box.js';
import { emptySet, type PointSet } from '../sets/point-set.js';
import { setBuilder } from '../sets/set-builder.js';
import type { Trie } from '../sets/trie.js';
import { prepare, queryOf, type Evaluation } from './evaluate.js';
import { runJoin, type Prepared } from './join.js';
import type { Query } from './query.js';
import { domainBox, withKept } from './variables.js';

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
  /** The joins whose union it is. */
  readonly joins: readonly Prepared[];
  /** All iterations as a set; computed once. Its box may be too large for bits: then it takes 16 bytes a run. */
  readonly points: () => PointSet;
}

/** The region of every statement. */
export const interestRegions = (
  equations: readonly SparsityEquation[],
  evaluation: Evaluation,
): readonly InterestRegion[] => equations.map((e, k) => regionOf(e, e.interest, k, evaluation));

/** The iterations of a statement that satisfy a union of terms. */
export const regionOf = (
  e: SparsityEquation,
  terms: readonly Term[],
  k: number,
  evaluation: Evaluation,
): InterestRegion => {
  const { statement } = e.recurrence;
  const { variables, values, initial, tries } = evaluation;
  const dims = statement.iterators.length;
  const all = statement.iterators.map((_, d) => d);
  const box = domainBox(statement, all);
  const dense = statement.domain.reduce((n, where) => n + countDomain(where, dims, box), 0);
  const setOf = (of: number | string): { set: PointSet } => ({
    set: typeof of === 'number' ? values[of] : initial.get(of)!,
  });
  const kept = terms.map((t) => withKept(t, (s) => variables[s].kept));
  const join = (t: Term): Prepared | undefined => {
    const q = queryOf(t, all, box, dims, setOf);
    return q === undefined ? undefined : prepare(q, tries, true);
  };
  const whole = evaluation.variables[k];
  if (e.recurrence.accumulates === undefined && terms === e.interest && whole.kept.length === dims) {
    const set = values[k];
    return {
      statement: k,
      iterators: statement.iterators,
      box,
      count: set.count,
      dense,
      terms: kept,
      isValue: true,
      joins: kept.flatMap((t) => join(t) ?? []),
      points: () => set,
    };
  }
  const present = kept.flatMap((t) => {
    const j = join(t);
    return j === undefined ? [] : [{ t, j }];
  });
  const joins = present.map(({ j }) => j);
  let listed: PointSet | undefined;
  const points = (): PointSet => (listed ??= listOf(box, joins));
  const count = countUnion(present, join) ?? points().count;
  return {
    statement: k,
    iterators: statement.iterators,
    box,
    count,
    dense,
    terms: kept,
    isValue: false,
    joins,
    points,
  };
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
const countUnion = (
  terms: readonly { readonly t: Term; readonly j: Prepared }[],
  join: (t: Term) => Prepared | undefined,
): number | undefined => {
  let total = 0;
  let level: { readonly last: number; readonly t: Term; readonly j: Prepared }[] = terms.map((x, last) => ({
    ...x,
    last,
  }));
  for (let sign = 1; level.length > 0; sign = -sign) {
    if (level.length > MOST_OVERLAPS) return undefined;
    for (const { j } of level) total += sign * countOf(j);
    level = level.flatMap((a) =>
      terms.slice(a.last + 1).flatMap((b, n) => {
        const t = { where: [...a.t.where, ...b.t.where], atoms: [...a.t.atoms, ...b.t.atoms] };
        if (isEmpty(t.where)) return [];
        const j = join(t);
        return j === undefined ? [] : [{ t, j, last: a.last + 1 + n }];
      }),
    );
  }
  return total;
};

const MOST_OVERLAPS = 12;

const countDomain = (where: Conjunction, dims: number, box: Box): number => {
  const head = Array.from({ length: dims }, (_, d) => d);
  const q = queryOf({ where, atoms: [] }, head, box, dims, () => ({ set: emptySet(box) }));
  if (q === undefined) return 0;
  /* A box needs no counting. */
  if (where.every((f) => f.coefs.filter((c) => c !== 0).length <= 1))
    return q.ranges.reduce((n, r) => n * (r.max - r.min + 1), 1);
  return countBox(q);
};

/** Iterators that no condition ties to others are counted by their ranges. */
const countBox = (q: Query): number => {
  const tied = q.ranges.map((_, d) =>
    q.where.some((f) => (f.coefs[d] ?? 0) !== 0 && f.coefs.some((c, e) => e !== d && c !== 0)),
  );
  const free = q.ranges.reduce((n, r, d) => (tied[d] ? n : n * (r.max - r.min + 1)), 1);
  const ranges = q.ranges.map((r, d) => (tied[d] ? r : { min: r.min, max: r.min }));
  const order = [...q.head].sort((a, b) => Number(tied[a]) - Number(tied[b]) || a - b);
  return free * countOf({ query: { ...q, ranges }, order, tries: [] });
};

const countOf = (p: Prepared): number => {
  let count = 0;
  /* Points up to each run of the trie that is handed over. */
  let known: Trie | undefined;
  let upTo: Float64Array = new Float64Array(0);
  runJoin(p, {
    add: (_base, _stride, lo, hi) => void (count += hi - lo + 1),
    addRuns: (_base, runs, first, end) => {
      if (runs !== known) [known, upTo] = [runs, pointsUpTo(runs)];
      count += upTo[end] - upTo[first];
    },
  });
  return count;
};

const pointsUpTo = ({ lo, hi }: Trie): Float64Array => {
  const out = new Float64Array(lo.length + 1);
  for (let n = 0; n < lo.length; n++) out[n + 1] = out[n] + hi[n] - lo[n] + 1;
  return out;
};
