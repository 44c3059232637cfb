import type { Builder, Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { tableEntry, type TableRef, type Tables } from './tables.js';
import { plus, valueOf } from './tiles/tile-loops.js';
import { joined, type Sum } from './tiles/tile-sums.js';

/** Rows that one loop takes one after the other, each by as many vectors as it is long, with nothing known of their columns. */
export interface CompressedRows {
  /** Ascending. */
  readonly rows: readonly number[];
  /** Position of the first value; the others follow in their order in the matrix. */
  readonly start: number;
}

/** Them with their tables placed. */
export interface PlacedRows {
  readonly count: number;
  /** The first row, where the others follow it. */
  readonly first: number | undefined;
  readonly start: number;
  readonly longest: number;
  readonly rows: TableRef | undefined;
  readonly lengths: TableRef;
  readonly columns: TableRef | undefined;
}

export const placeRows = (p: CsrPattern, { rows, start }: CompressedRows, tables: Tables): PlacedRows => {
  const lengths = Int32Array.from(rows, (i) => p.rowPtr[i + 1] - p.rowPtr[i]);
  const columns = entriesOfRows(p, rows).map((e) => p.colIdx[e]);
  const inRow = rows.every((i, k) => i === rows[0] + k);
  return {
    count: rows.length,
    first: inRow ? rows[0] : undefined,
    start,
    longest: lengths.reduce((a, b) => Math.max(a, b), 0),
    rows: inRow ? undefined : tables.add(Int32Array.from(rows)),
    lengths: tables.add(lengths),
    columns: columns.length > 0 ? tables.add(columns) : undefined,
  };
};

/** Positions of the values of these rows, row after row. */
export const entriesOfRows = (p: CsrPattern, rows: readonly number[]): Int32Array => {
  const out = new Int32Array(rows.reduce((n, i) => n + p.rowPtr[i + 1] - p.rowPtr[i], 0));
  let at = 0;
  for (const i of rows) for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) out[at++] = e;
  return out;
};

/**
 * The loop: of each row pairs of vectors, one vector more, and the rest one by one.
 *
 * @param lanes entries that a vector holds
 */
export const emitRows = (
  b: Builder,
  placed: PlacedRows,
  lanes: number,
  dtype: 'f32' | 'f64',
  store: (sum: Sum) => void,
): void => {
  const { count, first, start, longest, rows, lengths, columns } = placed;
  const pair = 2 * lanes;
  const x = (e: Value, lane = 0): Value => b.load('x', tableEntry(b, columns!, e, lane));
  const value = (e: Value, n = 1): Value => b.load('A', valueOf(b, plus(b, e, start)), n);
  const vector = (e: Value): Value =>
    b.mul(
      value(e, lanes),
      joined(b, lanes, (lane) => x(e, lane)),
    );
  const pairs = (begin: Value, length: Value): readonly Value[] => {
    const whole = b.sub(length, b.rem(length, b.i32(pair)));
    const zeros = [0, 0].map((zero) => b.constant(zero, { lanes, of: dtype }));
    const [even, odd] = b.for(b.i32(0), whole, b.i32(pair), {}, zeros, (k, sums) => {
      const e = b.add(begin, k);
      return sums.map((sum, n) => b.add(sum, vector(valueOf(b, plus(b, e, n * lanes)))));
    });
    return [b.add(begin, whole), b.reduce('add', b.add(even, odd))];
  };
  const oneMore = (at: Value, sum: Value): readonly Value[] => [
    b.add(at, b.i32(lanes)),
    b.add(sum, b.reduce('add', vector(at))),
  ];
  b.for(b.i32(0), b.i32(count), b.i32(1), {}, [b.i32(0)], (u, [begin]) => {
    const length = tableEntry(b, lengths, u);
    let found: readonly Value[] = [begin, b.constant(0, dtype)];
    const where = (condition: Value, then: () => readonly Value[]): void => {
      const before = found;
      found = b.if(condition, then, () => before);
    };
    if (longest >= pair) where(b.cmp('ge', length, b.i32(pair)), () => pairs(begin, length));
    const end = b.add(begin, length);
    if (longest >= lanes) where(b.cmp('le', b.add(found[0], b.i32(lanes)), end), () => oneMore(found[0], found[1]));
    const [at, sum] = found;
    /* As many as a vector has not: told by a remainder, so that no compiler makes vectors of so few. */
    const rest = longest >= lanes ? b.rem(length, b.i32(lanes)) : length;
    const one = (k: Value, s: Value): Value => {
      const e = b.add(at, k);
      return b.add(s, b.mul(value(e), x(e)));
    };
    const [total] = longest === 0 ? [sum] : b.for(b.i32(0), rest, b.i32(1), {}, [sum], (k, [s]) => [one(k, s)]);
    store({ value: total, row: first === undefined ? tableEntry(b, rows!, u) : valueOf(b, plus(b, u, first)) });
    return [end];
  });
};
