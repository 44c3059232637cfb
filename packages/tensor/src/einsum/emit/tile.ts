import type { Builder, Value } from '@filigree/ir';
import {
  alongLanes,
  over,
  step,
  advance,
  type Attrs,
  type Cursor,
  type DenseLoop,
  type DenseTerm,
} from './nest-loops.js';
import { carried, finish, lanesOf, zero, type Finish } from './nest-sums.js';

/** How the loops of sums of products on lanes are arranged. */
export interface Tile {
  readonly lane: DenseLoop;
  /** Around tiles. */
  readonly outer: readonly DenseLoop[];
  /** Along which the second factor, and the first, stays what it is: as many entries at once as `sizes` says. */
  readonly rows: DenseLoop;
  readonly columns: DenseLoop;
  readonly sizes: readonly [rows: number, columns: number];
  readonly summed: readonly DenseLoop[];
}

interface Tiled {
  readonly terms: readonly DenseTerm[];
  readonly lanes: number;
  readonly registers: number;
}

/**
 * A tile for a nest that sums products of two factors along lanes, where a loop is left along which one of them does not change: it is
 * loaded once for all entries of the tile.
 */
export const chosenTile = (
  { terms, registers }: Tiled,
  outer: readonly DenseLoop[],
  summed: readonly DenseLoop[],
  lane: DenseLoop | undefined,
): Tile | undefined => {
  if (lane === undefined || lane.summed || summed.length === 0) return undefined;
  if (terms.length !== 1 || terms[0]!.length !== 2) return undefined;
  const longest = (moves: 1 | 2, stays: 1 | 2): DenseLoop | undefined =>
    outer
      .filter((l) => l.strides[stays] === 0 && l.strides[moves] !== 0)
      .reduce<DenseLoop | undefined>((a, l) => (a && a.trips >= l.trips ? a : l), undefined);
  const [rows, columns] = [longest(1, 2), longest(2, 1)];
  if (rows === undefined && columns === undefined) return undefined;
  return {
    lane,
    outer: outer.filter((l) => l !== rows && l !== columns),
    rows: rows ?? NONE,
    columns: columns ?? NONE,
    sizes: tileSizes(rows?.trips ?? 1, columns?.trips ?? 1, registers),
    summed,
  };
};

/** A loop that goes round once. */
const NONE: DenseLoop = { trips: 1, strides: [0, 0, 0], summed: false };

/**
 * How many rows and columns are computed at once: as many as registers hold, with one side of the factors and one more. Each takes half a
 * cycle for its product and each factor half of one for its load, and a sum waits four for the one before.
 */
const tileSizes = (rows: number, columns: number, registers: number): readonly [number, number] => {
  const cost = (m: number, n: number): number =>
    partsOf(rows, m)
      .flatMap((p) => partsOf(columns, n).map((q) => [p.times * q.times, p.size, q.size] as const))
      .reduce((sum, [times, p, q]) => sum + times * Math.max(4, (p * q) / 2, (p + q) / 2), 0);
  let best: readonly [number, number] = [1, 1];
  for (let m = 1; m <= Math.min(rows, registers); m++)
    for (let n = 1; n <= Math.min(columns, registers) && m * n + Math.min(m, n) + 1 < registers; n++)
      if (cost(m, n) < cost(...best)) best = [m, n];
  return best;
};

interface Part {
  readonly from: number;
  readonly times: number;
  readonly size: number;
}

/** Whole steps of a size, and what is left. */
const partsOf = (trips: number, size: number): readonly Part[] => {
  const times = Math.floor(trips / size);
  const rest = trips - times * size;
  return [{ from: 0, times, size }, ...(rest > 0 ? [{ from: times * size, times: 1, size: rest }] : [])];
};

/**
 * target = scale·Σ terms by tiles. Lanes are outermost: what a tile reads the next one reads again, from near. Where rows lie so that their
 * places in a cache are few, tiles are: what all of them read would not stay. Threads divide what is outermost, or, where
 * lanes are few, what is around the tiles.
 */
export const tiledSums = (b: Builder, nest: Tiled & Finish, tile: Tile, attrs: Attrs, start: Cursor): void => {
  const { lane, outer, rows, columns, sizes } = tile;
  const crowded = isCrowded(nest, tile);
  const wide = !crowded && lane.trips >= 2 * nest.lanes;
  const lanes = (at: Cursor, body: (at: Cursor, width: number) => void): void =>
    alongLanes(b, lane, wide ? attrs : {}, nest.lanes, at, body);
  const tiles = (at: Cursor, body: (at: Cursor, m: number, n: number) => void): void => {
    const around = wide ? {} : attrs;
    over(b, outer, around, at, (c) =>
      eachPart(b, rows, sizes[0], outer.length === 0 ? around : {}, c, (r, m) =>
        eachPart(b, columns, sizes[1], {}, r, (q, n) => body(q, m, n)),
      ),
    );
  };
  if (crowded) tiles(start, (c, m, n) => lanes(c, (at, width) => oneTile(b, nest, tile, at, m, n, width)));
  else lanes(start, (c, width) => tiles(c, (at, m, n) => oneTile(b, nest, tile, at, m, n, width)));
};

/* Neighbours along all loops but the lanes' are whole eighths of a page apart: of 64 lines of a first-level cache they share eight or fewer. */
const isCrowded = ({ type }: Finish, { rows, columns, summed, outer }: Tile): boolean => {
  const bytes = type === 'f64' ? 8 : 4;
  const all = [rows, columns, ...summed, ...outer];
  return all.every((l) => l.strides.every((s) => (s * bytes) % 512 === 0)) && all.some((l) => l.trips > 1);
};

const oneTile = (
  b: Builder,
  nest: Finish,
  { lane, rows, columns, summed }: Tile,
  at: Cursor,
  m: number,
  n: number,
  width: number,
): void => {
  const zeros = Array.from({ length: m * n }, () => zero(b, nest, width));
  const sums = carried(b, summed, at, zeros, ({ terms }, before) => {
    const factors = (count: number, k: 1 | 2, along: DenseLoop): readonly Value[] =>
      Array.from({ length: count }, (_, i) =>
        lanesOf(b, step(b, terms[0]![k - 1]!, i, along.strides[k]!), width, lane.strides[k]!),
      );
    const [x, y] = [factors(m, 1, rows), factors(n, 2, columns)];
    return before.map((sum, i) => b.add(sum, b.mul(x[i % m]!, y[Math.floor(i / m)]!)));
  });
  sums.forEach((sum, i) => {
    const row = step(b, at.target, i % m, rows.strides[0]!);
    finish(b, nest, { ...at, target: step(b, row, Math.floor(i / m), columns.strides[0]!) }, sum, width);
  });
};

const eachPart = (
  b: Builder,
  loop: DenseLoop,
  size: number,
  attrs: Attrs,
  cursor: Cursor,
  body: (cursor: Cursor, size: number) => void,
): void => {
  for (const part of partsOf(loop.trips, size)) {
    const at = (i: Value): void => body(advance(b, cursor, i, loop), part.size);
    if (part.times === 1) at(b.i32(part.from));
    else b.for(b.i32(part.from), b.i32(part.from + part.times * part.size), b.i32(part.size), attrs, [], at);
  }
};
