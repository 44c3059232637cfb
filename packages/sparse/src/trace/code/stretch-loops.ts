import type { Builder, Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { stretchesOf, type Stretch } from './stretches.js';
import { tableEntry, type TableRef, type Tables } from './tables.js';
import { joined } from './tiles/tile-sums.js';

/** A stretch with its tables placed; values are those of the matrix, row by row. */
export interface PlacedStretch {
  readonly stretch: Stretch;
  /** Position of its first value. */
  readonly start: number;
  readonly columns: TableRef | undefined;
  /** Where the columns of each row begin in their table, and the last end. */
  readonly begins: TableRef | undefined;
  /** Entries of its longest row. */
  readonly longest: number;
}

export const placeStretches = (p: CsrPattern, tables: Tables): PlacedStretch[] =>
  stretchesOf(p).map((stretch) => {
    const { first, end, offsets } = stretch;
    const [start, last] = [p.rowPtr[first], p.rowPtr[end]];
    const begins = p.rowPtr.slice(first, end + 1).map((e) => e - start);
    return {
      stretch,
      start,
      columns: offsets ? undefined : tables.add(p.colIdx.slice(start, last)),
      begins: offsets ? undefined : tables.add(begins),
      longest: begins.reduce((most, e, k) => Math.max(most, k === 0 ? 0 : e - begins[k - 1]), 0),
    };
  });

/** A substitution, row by row. */
export interface Substitution {
  /** The solution at an earlier row. */
  readonly x: (row: Value) => Value;
  /** Sets the solution at a row and gives it; `minus` takes the products of its entries from a number. */
  readonly solve: (row: Value, minus: (start: Value) => Value) => Value;
}

export const emitStretches = (
  b: Builder,
  stretches: readonly PlacedStretch[],
  dtype: 'f32' | 'f64',
  visit: Substitution,
): void => {
  for (const placed of stretches) {
    if (placed.stretch.offsets) emitShape(b, placed, placed.stretch.offsets, visit);
    else emitRows(b, placed, dtype, visit);
  }
};

/** Preceding rows kept in registers: memory could not be read back fast enough after the write. */
const WAITING = 3;

/** Rows of one shape: what a row needs of the rows just before it is carried from row to row, and is added last. */
const emitShape = (
  b: Builder,
  { stretch: { first, end }, start }: PlacedStretch,
  offsets: Int32Array,
  visit: Substitution,
) => {
  const length = offsets.length;
  let waiting = 0;
  while (waiting < Math.min(WAITING, length) && offsets[length - 1 - waiting] === -1 - waiting) waiting++;
  const before = Array.from({ length: waiting }, (_, w) => visit.x(b.i32(first - 1 - w)));
  b.for(b.i32(first), b.i32(end), b.i32(1), {}, before, (i, carried) => {
    const at = b.mul(b.sub(i, b.i32(first)), b.i32(length));
    const x = visit.solve(i, (from) =>
      offsets.reduce((left: Value, offset, k) => {
        const known = carried[length - 1 - k] ?? visit.x(b.add(i, b.i32(offset)));
        return b.sub(left, b.mul(b.load('A', b.add(at, b.i32(start + k))), known));
      }, from),
    );
    return [x, ...carried].slice(0, waiting);
  });
};

/** Entries of a row from which on vectors pay, although their lanes must be summed at the end. */
const LONG = 12;

const LANES = 4;

/**
 * Any rows: entries one by one, since a row may depend on the one before through its last column; if there are many, on
 * vectors.
 */
const emitRows = (b: Builder, placed: PlacedStretch, dtype: 'f32' | 'f64', { x, solve }: Substitution): void => {
  const {
    stretch: { first, end },
    start,
    longest,
  } = placed;
  const [columns, begins] = [placed.columns!, placed.begins!];
  const one = b.i32(1);
  const xAt = (e: Value, lane = 0): Value => x(tableEntry(b, columns, e, lane));
  const value = (e: Value, lanes = 1): Value => b.load('A', b.add(e, b.i32(start)), lanes);
  const oneByOne = (from: Value, to: Value, left: Value): Value =>
    b.for(from, to, one, {}, [left], (e, [s]) => b.sub(s, b.mul(value(e), xAt(e))))[0];
  const inVectors = (from: Value, length: Value, left: Value): readonly Value[] => {
    const vectors = b.div(length, b.i32(LANES));
    const [sums] = b.for(b.i32(0), vectors, one, {}, [b.constant(0, { lanes: LANES, of: dtype })], (v, [s]) => {
      const e = b.add(from, b.mul(v, b.i32(LANES)));
      return b.add(
        s,
        b.mul(
          value(e, LANES),
          joined(b, LANES, (lane) => xAt(e, lane)),
        ),
      );
    });
    return [b.add(from, b.mul(vectors, b.i32(LANES))), b.sub(left, b.reduce('add', sums))];
  };
  b.for(b.i32(0), b.i32(end - first), one, {}, [], (u) => {
    const [begin, stop] = [tableEntry(b, begins, u), tableEntry(b, begins, u, 1)];
    solve(b.add(u, b.i32(first)), (from) => {
      if (longest < LONG) return oneByOne(begin, stop, from);
      const length = b.sub(stop, begin);
      const [at, left] = b.if(
        b.cmp('ge', length, b.i32(LONG)),
        () => inVectors(begin, length, from),
        () => [begin, from],
      );
      return oneByOne(at, stop, left);
    });
  });
};
