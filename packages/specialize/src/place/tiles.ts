import type { Movable } from './movable.js';
import type { Body } from '../harvest/harvested.js';
import type { PlaceOptions } from '../options.js';

/** Tiles of a launch: `starts[k][t] .. starts[k][t+1])` are group k's instances of tile t. */
export interface Tiles {
  readonly tiles: number;
  readonly starts: readonly Int32Array[];
}

/** Fewer instances than this in a tile and the loops cost more than the cache saves. */
const MIN_INSTANCES = 64;

/** Operations of a tile, so that threads can divide the work where instances read little and compute much. */
const TILE_WORK = 1 << 17;

/**
 * Cuts a launch into tiles of about `tileBytes` or less that take their instances from all groups in step: a tile is a stretch
 * of the order in which units run, where neighbours read and write near positions, and all touch equally many bytes; or with
 * `tileInstances` all but the last have so many units.
 */
export const cutTiles = (
  groups: readonly Movable[],
  order: Int32Array,
  scalarBytes: number,
  { tileBytes, tileInstances }: Pick<PlaceOptions, 'tileBytes' | 'tileInstances'>,
): Tiles => {
  if (tileInstances > 0) return equalTiles(groups, order, tileInstances);
  const bytes = groups.map((g) => bytesPerInstance(g, scalarBytes));
  const total = groups.reduce((sum, g, k) => sum + g.units.length * bytes[k], 0);
  const instances = groups.reduce((n, g) => n + g.units.length, 0);
  const work = groups.reduce((sum, g) => sum + g.units.length * operationsPerInstance(g), 0);
  const most = Math.floor(instances / (MIN_INSTANCES * groups.length));
  const wanted =
    tileBytes > 0 ? Math.min(Math.max(Math.ceil(total / tileBytes), Math.ceil(work / TILE_WORK)), most) : 1;
  return evenTiles(groups, order, scalarBytes, Math.max(1, wanted));
};

/** So many tiles, which all touch equally many bytes. */
export const evenTiles = (groups: readonly Movable[], order: Int32Array, scalarBytes: number, tiles: number): Tiles => {
  if (tiles === 1) return { tiles, starts: groups.map((g) => Int32Array.of(0, g.units.length)) };
  const bytes = groups.map((g) => bytesPerInstance(g, scalarBytes));
  const total = groups.reduce((sum, g, k) => sum + g.units.length * bytes[k], 0);
  return startsIn(groups, tiles, tilesOfUnits(groups, order, bytes, total / tiles), (t, end) => (end * t) / tiles);
};

const equalTiles = (groups: readonly Movable[], order: Int32Array, instances: number): Tiles => {
  const units = groups.reduce((n, g) => n + (g.move ? 0 : g.units.length), 0);
  const all = groups.reduce((most, g) => Math.max(most, g.move ? endOf(g.move.positions[0][0]) : 0), units);
  const tiles = Math.max(1, Math.ceil(all / instances));
  if (tiles === 1) return { tiles, starts: groups.map((g) => Int32Array.of(0, g.units.length)) };
  const one = groups.map(() => 1);
  return startsIn(groups, tiles, tilesOfUnits(groups, order, one, instances), (t) => t * instances);
};

/** @param begin the position in an output that ends before `end` at which tile t begins */
const startsIn = (
  groups: readonly Movable[],
  tiles: number,
  tileOf: Int32Array,
  begin: (t: number, end: number) => number,
): Tiles => ({
  tiles,
  starts: groups.map((g) =>
    g.move ? startsByPosition(g.move.positions[0][0], tiles, begin) : startsOf(g.units, tileOf, tiles),
  ),
});

/** Operands, results and index entries, by a rough count. */
const bytesPerInstance = (g: Movable, scalarBytes: number): number =>
  2 * scalarBytes + perInstance(g, ({ columns }) => columns.length) * (scalarBytes + 2);

const operationsPerInstance = (g: Movable): number => perInstance(g, ({ template }) => template.graph.length);

const perInstance = (g: Movable, count: (part: Body) => number): number =>
  g.segments.reduce(
    (n, s) => n + (s.ptr[s.ptr.length - 1] / g.units.length) * count(s),
    g.body === undefined ? 0 : count(g.body),
  );

/** The tile of each unit: units fill one tile after the other, in the order in which they run. */
const tilesOfUnits = (
  groups: readonly Movable[],
  order: Int32Array,
  bytes: readonly number[],
  tileBytes: number,
): Int32Array => {
  const weight = new Float32Array(order.length);
  groups.forEach((g, k) => {
    if (!g.move) for (let i = 0; i < g.units.length; i++) weight[g.units[i]] = bytes[k];
  });
  const tile = new Int32Array(order.length);
  let sum = 0;
  for (const u of order) {
    tile[u] = Math.floor(sum / tileBytes);
    sum += weight[u];
  }
  return tile;
};

const startsOf = (units: Int32Array, tile: Int32Array, tiles: number): Int32Array => {
  const starts = new Int32Array(tiles + 1).fill(units.length);
  for (let t = 0, i = 0; t < tiles; t++) {
    while (i < units.length && tile[units[i]] < t) i++;
    starts[t] = i;
  }
  return starts;
};

/** Where tiles of an output begin among the ascending positions that a group writes: so groups of one output run side by side. */
const startsByPosition = (
  positions: Int32Array,
  tiles: number,
  begin: (t: number, end: number) => number,
): Int32Array => {
  const starts = new Int32Array(tiles + 1).fill(positions.length);
  const end = endOf(positions);
  for (let t = 0, i = 0; t < tiles; t++) {
    while (i < positions.length && positions[i] < begin(t, end)) i++;
    starts[t] = i;
  }
  return starts;
};

/** The position after the last. */
const endOf = (positions: Int32Array): number => positions[positions.length - 1] + 1;
