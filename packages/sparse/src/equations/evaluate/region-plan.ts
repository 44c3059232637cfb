import type { SparsityEquation, Term } from '../recurrences/sparsity.js';
import { boxOf, type Box } from '../sets/box.js';
import type { Conjunction } from '../sets/conjunction.js';
import { countOf } from './join.js';
import { formOf, rangesOf, type QueryForm, type Range } from './query.js';
import { domainBox, withKept, type Variable } from './variables.js';
import { isEmpty } from '../sets/integer-points.js';

/** All of a statement's region that does not depend on the inputs. */
export interface RegionPlan {
  readonly statement: number;
  readonly iterators: readonly string[];
  readonly box: Box;
  /** Iterations of the dense program. */
  readonly dense: number;
  /** The terms whose union it is, over variables. */
  readonly terms: readonly Term[];
  /** Whether it is the set of the statement's values as well. */
  readonly isValue: boolean;
  /** Those terms that have points, one by one. */
  readonly parts: readonly Overlap[];
}

/** Where some terms of a union hold at once. */
export interface Overlap {
  readonly form: QueryForm;
  /** The same terms and one of those behind them, where that has points. Worked out once. */
  readonly further: () => readonly Overlap[];
}

/** More terms that overlap than this are not counted by inclusion and exclusion: listing is less work. */
export const MOST_OVERLAPS = 12;

/** The plan of the iterations of a statement that satisfy a union of terms. */
export const regionPlan = (
  e: SparsityEquation,
  terms: readonly Term[],
  statement: number,
  variables: readonly Variable[],
): RegionPlan => {
  const { iterators, domain } = e.recurrence.statement;
  const all = iterators.map((_, d) => d);
  const box = domainBox(e.recurrence.statement, all);
  const kept = terms.map((t) => withKept(t, (s) => variables[s].kept));
  const isValue =
    e.recurrence.accumulates === undefined &&
    terms === e.interest &&
    variables[statement].kept.length === iterators.length;
  const part = (t: Term, last: number): Overlap[] => {
    const form = formOf(t, all, box, iterators.length);
    if (form === undefined) return [];
    let known: readonly Overlap[] | undefined;
    const overlaps = (): readonly Overlap[] =>
      kept.slice(last + 1).flatMap((other, n) => {
        const both = { where: [...t.where, ...other.where], atoms: [...t.atoms, ...other.atoms] };
        return isEmpty(both.where) ? [] : part(both, last + 1 + n);
      });
    return [{ form, further: () => (known ??= overlaps()) }];
  };
  const parts = kept.flatMap(part);
  /* What any inputs may need is worked out now. */
  if (!isValue)
    for (let level: readonly Overlap[] = parts; level.length > 0 && level.length <= MOST_OVERLAPS;)
      level = level.flatMap((o) => o.further());
  const dense = domain.reduce((n, where) => n + countDomain(where, iterators.length), 0);
  return { statement, iterators, box, dense, terms: kept, isValue, parts };
};

/** The points under some conditions. Iterators that no condition ties to others are counted by their ranges. */
const countDomain = (where: Conjunction, dims: number): number => {
  const ranges = rangesOf(where, dims);
  if (ranges === undefined) return 0;
  const tied = ranges.map((_, d) =>
    where.some((f) => (f.coefs[d] ?? 0) !== 0 && f.coefs.some((c, e) => e !== d && c !== 0)),
  );
  const free = ranges.reduce((n, r, d) => (tied[d] ? n : n * (r.max - r.min + 1)), 1);
  if (!tied.includes(true)) return free;
  const head = ranges.map((_, d) => d);
  const order = [...head].sort((a, b) => Number(tied[a]) - Number(tied[b]) || a - b);
  const left = ranges.map((r, d): Range => (tied[d] ? r : { min: r.min, max: r.min }));
  const none = head.map(() => 0);
  const query = { dims, where, atoms: [], head, result: boxOf(none, none), ranges: left };
  return free * countOf({ query, order, tries: [], tables: [], grown: [] });
};
