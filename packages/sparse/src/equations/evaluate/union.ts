import { gcd } from '../../trace/gcd.js';
import { MOST_BITS, shapeAround } from '../sets/bit-table.js';
import { boxOf, type Box } from '../sets/box.js';
import { wordsFor } from '../sets/memory.js';
import { emptySet, fullSet, setOfBits, type PointSet, type Survey } from '../sets/point-set.js';
import { setBuilder } from '../sets/set-builder.js';
import { runJoin } from './join.js';
import type { Prepared } from './prepared.js';
import { queryOf, type Query, type QueryForm } from './query.js';
import { ordered, prepareAll, type Ordered, type Stores } from './stores.js';
import { cuts, each, partsOf, type Platform, type Steps, type Work } from './work.js';

/** The points of a union of forms. */
export function* unionOfForms(
  forms: readonly QueryForm[],
  box: Box,
  setOf: (of: number | string) => PointSet,
  stores: Stores,
  platform: Platform,
): Steps<PointSet> {
  const queries: Query[] = [];
  for (const form of forms) {
    const q = queryOf(form, (of) => ({ set: setOf(of) }));
    if (q === undefined) continue;
    if (form.fillsBox && q.atoms.length === 0) return fullSet(box);
    queries.push(q);
  }
  if (queries.length === 0) return emptySet(box);
  if (box.size > MOST_BITS) {
    const builder = setBuilder(box);
    const joins = queries.map((q) => ordered(q, 'collect'));
    for (const join of yield* prepareAll(joins, stores)) runJoin(join, builder);
    return builder.finish();
  }
  const bits = wordsFor(box.size, platform.allocate);
  yield* collect(queries, bits, stores, platform);
  return yield* surveyed(box, bits, platform);
}

/** Bits as a set. */
export function* surveyed(box: Box, bits: Uint32Array, platform: Platform): Steps<PointSet> {
  const cost = bits.length / 16;
  const parts = cuts(bits.length, partsOf(cost, platform), 1);
  const found = yield* each(
    parts.map(([from, to]): Work<Survey> => ({ kind: 'survey', bits, from, to, cost: cost / parts.length })),
  );
  const sum = (of: keyof Survey): number => found.reduce((n, s) => n + s[of], 0);
  return setOfBits(box, bits, { count: sum('count'), runs: sum('runs') }, platform.allocate);
}

/** Adds the points of queries to bits, by the codes of their result. */
export function* collect(
  queries: readonly Query[],
  bits: Uint32Array,
  stores: Stores,
  platform: Platform,
): Steps<void> {
  const planned = queries.map((q) => {
    const straight = ordered(q, 'collect');
    const turned = turnedOf(straight);
    return {
      join: turned ?? straight,
      shape: turned && shapeAround(q.result, q.head.indexOf(straight.order[straight.order.length - 1])),
    };
  });
  const joins = yield* prepareAll(
    planned.map(({ join }) => join),
    stores,
  );
  for (const [k, join] of joins.entries()) {
    const {
      shape,
      join: { cost },
    } = planned[k];
    if (shape === undefined) {
      yield* each(collecting(join, bits, cost, platform));
      continue;
    }
    const source = wordsFor(join.query.result.size, platform.allocate);
    yield* each(collecting(join, source, cost, platform));
    /* From the order of the join back to that of the result. */
    const back = { before: shape.before, rows: shape.columns, columns: shape.rows };
    const work = bits.length / 2;
    const parts = cuts(back.columns, back.before > 1 ? 1 : partsOf(work, platform), 32);
    yield* each(
      parts.map(([from, to]): Work<void> => ({
        kind: 'turn',
        target: bits,
        source,
        shape: back,
        from,
        to,
        cost: work / parts.length,
      })),
    );
  }
}

/**
 * The same where the result's rows run along the iterator that is bound last, if dense sets offer its values a word at a time;
 * undefined where they do already, or are no use.
 */
const turnedOf = (join: Ordered): Ordered | undefined => {
  const { query, order } = join;
  const last = order[order.length - 1];
  const { head, result } = query;
  const at = head.indexOf(last);
  if (at < 0 || at === head.length - 1 || !join.inWords) return undefined;
  const moved = <A>(xs: readonly A[]): readonly A[] => [...xs.slice(0, at), ...xs.slice(at + 1), xs[at]];
  return {
    ...join,
    query: { ...query, head: moved(head), result: boxOf(moved(result.lower), moved(result.extent)) },
  };
};

/** A join in parts that write to words of their own: stretches of the iterator that leads the result's codes. */
const collecting = (join: Prepared, bits: Uint32Array, cost: number, platform: Platform): readonly Work<void>[] => {
  const { head, result, ranges } = join.query;
  if (head.length === 0) return [{ kind: 'collect', join, bits, cost }];
  const lead = result.extent.findIndex((n) => n > 1);
  const d = head[Math.max(0, lead)];
  /* Where other iterators are bound before it, each part goes through these. */
  const wanted = partsOf(cost, platform);
  const first = join.order[0] === d;
  const { min, max } = ranges[d];
  const below = min - result.lower[Math.max(0, lead)];
  const multiple = 32 / gcd(32, result.strides[Math.max(0, lead)]);
  const parts = cuts(below + max - min + 1, first ? wanted : Math.ceil(wanted / 4), multiple);
  return parts.flatMap(([from, to]): Work<void>[] => {
    const range = { min: Math.max(min, min - below + from), max: min - below + to - 1 };
    return range.min > range.max
      ? []
      : [{ kind: 'collect', join: within(join, d, range), bits, cost: cost / parts.length }];
  });
};

/** A join whose iterator keeps to a range. */
export const within = (join: Prepared, d: number, range: Query['ranges'][number]): Prepared => ({
  ...join,
  query: { ...join.query, ranges: join.query.ranges.map((r, k) => (k === d ? range : r)) },
});
