import type { Builder, Value } from '@filigree/ir';
import type { Progression, Region, RowPlan, Segments } from './row-plan.js';
import { tableEntry, type TableRef, type Tables } from './tables.js';

/** A region with its tables placed. */
export interface PlacedRegion {
  readonly region: Region;
  /** First rows of the units, or first row, number of rows and position of the values of each segment. */
  readonly rows: TableRef | undefined;
  readonly columns: TableRef | undefined;
  /** Offsets of the columns of a shape that is not written out, unless they follow one another. */
  readonly offsets: TableRef | undefined;
  /** Where the columns of each unit begin in their table, and end, where units differ in length. */
  readonly begins: TableRef | undefined;
}

export const placeRegions = (plan: RowPlan, tables: Tables): PlacedRegion[] =>
  plan.regions.map((region) => {
    const { rows, columns, unrolled, length } = region;
    const segments = rows instanceof Int32Array || !('counts' in rows) ? undefined : segmentTable(region, rows);
    const list = rows instanceof Int32Array ? rows : segments;
    const { table, anchors } = { table: undefined, anchors: undefined, ...columns };
    const listed = table ?? anchors;
    const scattered = columns.from !== 'table' && !unrolled && !isRun(columns.offsets);
    return {
      region,
      rows: list && tables.add(list),
      columns: listed && tables.add(listed),
      offsets: scattered ? tables.add(columns.offsets) : undefined,
      begins: typeof length === 'number' ? undefined : tables.add(runningSum(length)),
    };
  });

const segmentTable = ({ start, length }: Region, { firsts, counts }: Segments): Int32Array => {
  const out = new Int32Array(3 * firsts.length);
  let at = start;
  firsts.forEach((f, s) => {
    out.set([f, counts[s], at], 3 * s);
    at += counts[s] * (length as number);
  });
  return out;
};

const isRun = (offsets: Int32Array): boolean => offsets.every((o, k) => o === offsets[0] + k);

const runningSum = (lengths: Int32Array): Int32Array => {
  const out = new Int32Array(lengths.length + 1);
  lengths.forEach((n, k) => (out[k + 1] = out[k] + n));
  return out;
};

/** A unit of rows while its loop runs. */
export interface Unit {
  readonly height: number;
  /** Its columns; known where the unit is written out. */
  readonly length: number | Value;
  /** Columns of a unit of its region, at the mean. */
  readonly meanLength: number;
  /** The row `h` of the unit. */
  readonly row: (h: number) => Value;
  /** Column k of the unit. */
  readonly column: (k: number | Value) => Value;
  /** Position of the value in row h and column k. */
  readonly position: (k: number | Value, h: number) => Value;
}

export interface EmitOptions {
  /** Whether what `visit` makes of a unit can fill lanes, unit by unit: it has no loops, and no unit needs another. */
  readonly lanes: boolean;
}

/** Loops over the units of each region, in the order of the plan. */
export const emitRegions = (
  b: Builder,
  regions: readonly PlacedRegion[],
  options: EmitOptions,
  visit: (unit: Unit) => void,
): void => {
  for (const placed of regions) {
    const { region } = placed;
    if (!(region.rows instanceof Int32Array) && 'counts' in region.rows) {
      emitSegments(b, placed, region.rows, options, visit);
    } else {
      b.for(b.i32(0), b.i32(region.count), b.i32(1), {}, [], (u) => visit(unitOf(b, placed, u)));
    }
  }
};

const emitSegments = (
  b: Builder,
  { region, rows }: PlacedRegion,
  { firsts }: Segments,
  { lanes }: EmitOptions,
  visit: (unit: Unit) => void,
): void => {
  const length = region.length as number;
  const { offsets } = region.columns as { readonly offsets: Int32Array };
  b.for(b.i32(0), b.i32(firsts.length), b.i32(1), {}, [], (s) => {
    const entry = b.mul(s, b.i32(3));
    const [first, count, start] = [0, 1, 2].map((c) => tableEntry(b, rows!, entry, c));
    const starts = Array.from({ length }, (_, k) => (k === 0 ? start : b.add(start, b.mul(count, b.i32(k)))));
    b.for(b.i32(0), count, b.i32(1), lanes ? { simd: true } : {}, [], (u) => {
      const row = b.add(first, u);
      visit({
        height: 1,
        length,
        meanLength: length,
        row: () => row,
        column: (k) => plus(b, row, offsets[k as number]),
        position: (k) => b.add(starts[k as number], u),
      });
    });
  });
};

const unitOf = (b: Builder, placed: PlacedRegion, u: Value): Unit => {
  const { region, rows, columns, offsets: table, begins } = placed;
  const { height, length, start } = region;
  const first = rows === undefined ? progression(b, region.rows as Progression, u) : tableEntry(b, rows, u);
  const begin = begins === undefined ? times(b, u, length as number) : tableEntry(b, begins, u);
  const anchor = region.columns.from === 'anchor' ? tableEntry(b, columns!, u) : first;
  const column = (k: number | Value): Value => {
    if (region.columns.from === 'table') {
      return typeof k === 'number' ? tableEntry(b, columns!, begin, k) : tableEntry(b, columns!, b.add(begin, k));
    }
    const { offsets } = region.columns;
    if (typeof k === 'number') return plus(b, anchor, offsets[k]);
    return table === undefined ? plus(b, b.add(anchor, k), offsets[0]) : b.add(anchor, tableEntry(b, table, k));
  };
  const base = plus(b, times(b, begin, height), start);
  const position = (k: number | Value, h: number): Value =>
    typeof k === 'number' ? plus(b, base, k * height + h) : plus(b, b.add(base, times(b, k, height)), h);
  return {
    height,
    length:
      typeof length !== 'number'
        ? b.sub(tableEntry(b, begins!, u, 1), begin)
        : region.unrolled
          ? length
          : b.i32(length),
    meanLength: typeof length === 'number' ? length : length.reduce((n, l) => n + l, 0) / Math.max(1, length.length),
    row: (h) => plus(b, first, h),
    column,
    position,
  };
};

const progression = (b: Builder, { first, step }: Progression, u: Value): Value => plus(b, times(b, u, step), first);

const plus = (b: Builder, x: Value, n: number): Value => (n === 0 ? x : b.add(x, b.i32(n)));

const times = (b: Builder, x: Value, n: number): Value => (n === 1 ? x : b.mul(x, b.i32(n)));
