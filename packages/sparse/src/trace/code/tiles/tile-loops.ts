import type { Builder, Value } from '@filigree/ir';
import { tableEntry, type TableRef, type Tables } from '../tables.js';
import { columnsPer, valuesPer, type Counts } from './tile.js';
import type { TilePlan, TileRegion } from './tile-plan.js';

/** A region with its tables placed. */
export interface PlacedTiles {
  readonly region: TileRegion;
  readonly lanes: number;
  readonly table: TableRef | undefined;
  /** Of each group: tiles, counts, where its entries of `table` begin, where its values begin. */
  readonly groups: TableRef | undefined;
}

export const placeTiles = (plan: TilePlan, tables: Tables): PlacedTiles[] =>
  plan.regions.map((region) => ({
    region,
    lanes: plan.lanes,
    table: region.table.length > 0 ? tables.add(region.table) : undefined,
    groups: region.unrolled ? undefined : tables.add(groupTable(region, plan.lanes)),
  }));

const GROUP = 6;

const groupTable = (region: TileRegion, lanes: number): Int32Array => {
  const { form, height, scattered, start, groups } = region;
  const out = new Int32Array(GROUP * groups.length);
  let [entry, value] = [0, start];
  groups.forEach(({ counts, tiles }, g) => {
    out.set([tiles, ...counts, entry, value], GROUP * g);
    entry += tiles * ((scattered ? height : 1) + dot(counts, columnsPer(form, height, lanes)));
    value += tiles * dot(counts, valuesPer(form, height, lanes));
  });
  return out;
};

const dot = (a: Counts, b: Counts): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** A number that is known when the kernel is written, or when it runs. */
export type Count = number | Value;

/** A tile while its loop runs. */
export interface TileHere {
  readonly counts: readonly [Count, Count, Count];
  /** The row of a lane. */
  readonly row: (lane: number) => Value;
  /** The column that is entry `at` of those the tile names, or where `lane` has its own, entry `at + lane`. */
  readonly column: (at: Count, lane?: number) => Value;
  /** Where the columns and values of each of what is counted begin. */
  readonly columnsAt: readonly [Count, Count, Count];
  readonly valuesAt: readonly [Value, Value, Value];
}

/** Loops over the tiles of each region, in the order of the plan. */
export const emitTiles = (
  b: Builder,
  regions: readonly PlacedTiles[],
  visit: (region: TileRegion, tile: TileHere) => void,
): void => {
  for (const placed of regions) {
    const { region, groups } = placed;
    const [zero, one] = [b.i32(0), b.i32(1)];
    if (groups === undefined) {
      const [{ counts, tiles }] = region.groups;
      const at = { counts, entry: 0, value: region.start };
      const step = tiles >= MANY && counts[0] + counts[1] + counts[2] <= SHORT ? AT_ONCE : 1;
      const rest = tiles === 1 ? 1 : tiles % step;
      const tile = (u: Count): void => visit(region, tileAt(b, placed, at, u));
      b.for(zero, b.i32(tiles - rest), b.i32(step), {}, [], (u) => {
        for (let w = 0; w < step; w++) tile(plus(b, u, w));
      });
      for (let u = tiles - rest; u < tiles; u++) tile(u);
      continue;
    }
    b.for(zero, b.i32(region.groups.length), one, {}, [], (g) => {
      const base = times(b, g, GROUP) as Value;
      const [tiles, c0, c1, c2, entry, value] = Array.from({ length: GROUP }, (_, k) => tableEntry(b, groups, base, k));
      const none = (k: number, c: Value): Count => (region.groups.every((h) => h.counts[k] === 0) ? 0 : c);
      const at = { counts: [none(0, c0), none(1, c1), none(2, c2)] as const, entry, value };
      const tile = (u: Value): void => visit(region, tileAt(b, placed, at, u));
      if (region.groups.every((h) => h.tiles === 1)) tile(zero);
      else b.for(zero, tiles, one, {}, [], tile);
    });
  }
};

interface GroupHere {
  readonly counts: readonly [Count, Count, Count];
  readonly entry: Count;
  readonly value: Count;
}

/** Tiles of so few entries take less time than their loop, so some of them are one iteration. */
const SHORT = 2;
const AT_ONCE = 4;

/** Tiles from which on that is worth its code. */
const MANY = 64;

const tileAt = (b: Builder, { region, lanes, table }: PlacedTiles, group: GroupHere, u: Count): TileHere => {
  const { form, height, scattered, progression, offsets } = region;
  const rowEntries = progression === undefined ? (scattered ? height : 1) : 0;
  const [columns, columnEnd] = sections(b, group.counts, columnsPer(form, height, lanes));
  const [values, valueEnd] = sections(b, group.counts, valuesPer(form, height, lanes));
  const width = offsets === undefined ? plus(b, columnEnd, rowEntries) : rowEntries;
  const entry = table && valueOf(b, plus(b, times(b, u, width), group.entry));
  const value = plus(b, times(b, u, valueEnd), group.value);
  const first =
    progression === undefined
      ? Array.from({ length: rowEntries }, (_, h) => tableEntry(b, table!, entry!, h))
      : progression.first.map((r) => valueOf(b, plus(b, times(b, u, progression.step), r)));
  const row = (lane: number): Value => (scattered ? first[lane] : valueOf(b, plus(b, first[0], lane)));
  const column = (at: Count, lane?: number): Value => {
    if (offsets !== undefined) {
      const k = (at as number) + (lane ?? 0);
      return valueOf(b, plus(b, lane === undefined ? first[0] : row(lane), offsets[k]));
    }
    const known = rowEntries + (lane ?? 0);
    return typeof at === 'number'
      ? tableEntry(b, table!, entry!, at + known)
      : tableEntry(b, table!, b.add(entry!, at), known);
  };
  const valuesAt = values.map((v) => valueOf(b, plus(b, value, v)));
  return {
    counts: group.counts,
    row,
    column,
    columnsAt: columns,
    valuesAt: [valuesAt[0], valuesAt[1], valuesAt[2]],
  };
};

/** Where each of three sections begins that have `per` elements for each of what they count, and where they end. */
const sections = (
  b: Builder,
  counts: readonly [Count, Count, Count],
  per: Counts,
): [begins: readonly [Count, Count, Count], end: Count] => {
  const second = times(b, counts[0], per[0]);
  const third = plus(b, second, times(b, counts[1], per[1]));
  return [[0, second, third], plus(b, third, times(b, counts[2], per[2]))];
};

/** x + y and x·y, computed here where both are known. */
export const plus = (b: Builder, x: Count, y: Count): Count => {
  if (typeof x === 'number' && typeof y === 'number') return x + y;
  if (x === 0) return y;
  return y === 0 ? x : b.add(valueOf(b, x), valueOf(b, y));
};

export const times = (b: Builder, x: Count, y: Count): Count => {
  if (typeof x === 'number' && typeof y === 'number') return x * y;
  if (x === 0 || y === 0) return 0;
  return x === 1 ? y : y === 1 ? x : b.mul(valueOf(b, x), valueOf(b, y));
};

export const valueOf = (b: Builder, x: Count): Value => (typeof x === 'number' ? b.i32(x) : x);
