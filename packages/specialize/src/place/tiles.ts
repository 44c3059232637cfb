import type { Movable } from './place.js';

/** Tiles of a launch: `starts[k][t] .. starts[k][t+1])` are group k's instances of tile t. */
export interface Tiles {
  readonly tiles: number;
  readonly starts: readonly Int32Array[];
}

/** Fewer instances than this in a tile and the loops cost more than the cache saves. */
const MIN_INSTANCES = 64;

/**
 * Cuts a launch into tiles of about `tileBytes` that take their instances from all groups in step. Units are numbered in
 * the order in which the program made them, so units of near numbers read and write near positions: a tile is a range of
 * unit numbers, chosen so that tiles touch equally many bytes.
 */
export const cutTiles = (groups: readonly Movable[], scalarBytes: number, tileBytes: number): Tiles => {
  const bytes = groups.map((g) => bytesPerInstance(g, scalarBytes));
  const total = groups.reduce((sum, g, k) => sum + g.units.length * bytes[k], 0);
  const instances = groups.reduce((n, g) => n + g.units.length, 0);
  const wanted =
    tileBytes > 0 ? Math.min(Math.ceil(total / tileBytes), Math.floor(instances / (MIN_INSTANCES * groups.length))) : 1;
  const tiles = Math.max(1, wanted);
  if (tiles === 1) return { tiles, starts: groups.map((g) => Int32Array.of(0, g.units.length)) };
  const bounds = unitBounds(groups, bytes, total, tiles);
  return {
    tiles,
    starts: groups.map((g) => (g.move ? evenStarts(g.units.length, tiles) : startsAt(g.units, bounds, tiles))),
  };
};

/** Operands, results and index entries, by a rough count. */
const bytesPerInstance = (g: Movable, scalarBytes: number): number => {
  const terms = g.segments.reduce((n, s) => n + (s.ptr[s.ptr.length - 1] * s.columns.length) / g.units.length, 0);
  const operands = terms + (g.body?.columns.length ?? 0);
  return 2 * scalarBytes + operands * (scalarBytes + 2);
};

/** Unit numbers at which tiles begin. */
const unitBounds = (groups: readonly Movable[], bytes: readonly number[], total: number, tiles: number): Int32Array => {
  const units = groups.reduce((n, g) => Math.max(n, g.move ? 0 : g.units[g.units.length - 1] + 1), 0);
  const weight = new Float32Array(units);
  groups.forEach((g, k) => {
    if (!g.move) for (let i = 0; i < g.units.length; i++) weight[g.units[i]] = bytes[k];
  });
  const bounds = new Int32Array(tiles + 1).fill(units);
  bounds[0] = 0;
  let sum = 0;
  for (let u = 0, t = 1; u < units && t < tiles; u++) {
    sum += weight[u];
    while (t < tiles && sum >= (total * t) / tiles) bounds[t++] = u + 1;
  }
  return bounds;
};

const startsAt = (units: Int32Array, bounds: Int32Array, tiles: number): Int32Array => {
  const starts = new Int32Array(tiles + 1);
  for (let t = 1, i = 0; t <= tiles; t++) {
    while (i < units.length && units[i] < bounds[t]) i++;
    starts[t] = i;
  }
  return starts;
};

const evenStarts = (n: number, tiles: number): Int32Array =>
  Int32Array.from({ length: tiles + 1 }, (_, t) => Math.floor((n * t) / tiles));
