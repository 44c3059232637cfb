import type { Builder, Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { tableEntry, type TableRef, type Tables } from './tables.js';
import { plus, valueOf } from './tiles/tile-loops.js';
import type { Sum } from './tiles/tile-sums.js';

/** Rows of long runs of columns that follow one another: a loop over the runs of a row knows where each begins and how long it is, and nothing of each entry. */
export interface RunRows {
  /** Ascending. */
  readonly rows: readonly number[];
  /** Position of the first value; the others follow in their order in the matrix. */
  readonly start: number;
}

/** Them with their tables placed. */
export interface PlacedRunRows {
  readonly count: number;
  /** The first row, where the others follow it. */
  readonly first: number | undefined;
  readonly start: number;
  readonly rows: TableRef | undefined;
  /** Of each row how many runs it has; absent where each has one. */
  readonly runs: TableRef | undefined;
  /** Of each run its first column and its length. */
  readonly columns: TableRef;
  readonly lengths: TableRef;
}

/** Calls back for each run of columns of a row. */
export const forEachRun = (p: CsrPattern, row: number, visit: (column: number, length: number) => void): void => {
  const end = p.rowPtr[row + 1];
  for (let e = p.rowPtr[row], from = e; e < end; e++) {
    if (e + 1 < end && p.colIdx[e + 1] === p.colIdx[e] + 1) continue;
    visit(p.colIdx[from], e + 1 - from);
    from = e + 1;
  }
};

export const placeRunRows = (p: CsrPattern, { rows, start }: RunRows, tables: Tables): PlacedRunRows => {
  const [columns, lengths]: [number[], number[]] = [[], []];
  const runs = rows.map((i) => {
    const before = columns.length;
    forEachRun(p, i, (column, length) => {
      columns.push(column);
      lengths.push(length);
    });
    return columns.length - before;
  });
  const inRow = rows.every((i, k) => i === rows[0] + k);
  return {
    count: rows.length,
    first: inRow ? rows[0] : undefined,
    start,
    rows: inRow ? undefined : tables.add(Int32Array.from(rows)),
    runs: runs.every((n) => n === 1) ? undefined : tables.add(Int32Array.from(runs)),
    columns: tables.add(Int32Array.from(columns)),
    lengths: tables.add(Int32Array.from(lengths)),
  };
};

/** Vectors that are summed up side by side, so that none waits for the one before. */
const SIDE_BY_SIDE = 4;

/**
 * The loop: of each run several vectors at once, then one by one, then the entries that are left.
 *
 * @param lanes entries that a vector holds
 */
export const emitRunRows = (
  b: Builder,
  { count, first, start, rows, runs, columns, lengths }: PlacedRunRows,
  lanes: number,
  dtype: 'f32' | 'f64',
  store: (sum: Sum) => void,
): void => {
  const [zero, one] = [b.i32(0), b.i32(1)];
  const wide = SIDE_BY_SIDE * lanes;
  const product = (value: Value, column: Value, n: number): Value =>
    b.mul(b.load('A', value, n), b.load('x', column, n));
  /* Sums on lanes, and one of single entries. */
  const nothing = [
    ...Array.from({ length: SIDE_BY_SIDE }, () => b.constant(0, { lanes, of: dtype })),
    b.constant(0, dtype),
  ];
  const run = (at: Value, r: Value, sums: readonly Value[]): readonly Value[] => {
    const [column, length] = [tableEntry(b, columns, r), tableEntry(b, lengths, r)];
    const value = valueOf(b, plus(b, at, start));
    const inWide = b.sub(length, b.rem(length, b.i32(wide)));
    const inVectors = b.sub(length, b.rem(length, b.i32(lanes)));
    const term = (k: Value, n: number): Value => product(b.add(value, k), b.add(column, k), n);
    const many = b.for(zero, inWide, b.i32(wide), {}, sums.slice(0, SIDE_BY_SIDE), (k, own) =>
      own.map((sum, v) => b.add(sum, term(valueOf(b, plus(b, k, v * lanes)), lanes))),
    );
    const [last] = b.for(inWide, inVectors, b.i32(lanes), {}, [many[0]], (k, [sum]) => [b.add(sum, term(k, lanes))]);
    const [single] = b.for(inVectors, length, one, {}, [sums[SIDE_BY_SIDE]], (k, [sum]) => [b.add(sum, term(k, 1))]);
    return [b.add(at, length), last, ...many.slice(1), single];
  };
  b.for(zero, b.i32(count), one, {}, [zero, zero], (u, [at, r]) => {
    const behind = runs === undefined ? b.add(r, one) : b.add(r, tableEntry(b, runs, u));
    const [next, ...sums] =
      runs === undefined
        ? run(at, r, nothing)
        : b.for(r, behind, one, {}, [at, ...nothing], (k, [here, ...own]) => run(here, k, own));
    const vectors = sums.slice(0, SIDE_BY_SIDE).reduce((x, y) => b.add(x, y));
    const total = b.add(b.reduce('add', vectors), sums[SIDE_BY_SIDE]);
    store({ value: total, row: first === undefined ? tableEntry(b, rows!, u) : valueOf(b, plus(b, u, first)) });
    return [next, behind];
  });
};
