import type { CsrPattern } from '../../../formats/patterns/csr.js';
import { rowShapes } from '../../row-shapes.js';
import { groupBy } from '../group-by.js';
import { Prices, signaturesToWrite } from './prices.js';
import { entriesOfRow, type Counts, type Cover, type Signature, type Tile } from './tile.js';
import { Windows } from './windows.js';
import { runsCost } from './runs-cost.js';
import { worthTheirCode } from './worth.js';

/**
 * Tiles and rows that contain every entry of a matrix once. Every row, even one without entries, is set by exactly one of them
 * before single entries are added to it. Consecutive rows are combined where their columns agree, by the cheapest of
 * all ways to cut the rows; the others are combined with rows of the same length, taken alone along the lanes, or one after the other,
 * by runs of their columns or as compressed rows. Later rounds know for which tiles there is code, and at the end regions whose code is not worth its memory are
 * rows too. Linear time except for sorting.
 *
 * @param lanes rows or entries that a vector holds, a power of two
 */
export const coverRows = (p: CsrPattern, lanes: number): Cover => {
  const windows = new Windows(p);
  const free = new Prices(lanes);
  const saved = (s: Signature): number => s.height * free.row(entriesOfRow(s, lanes)) - free.of(s);
  let prices = free;
  for (let round = 1; round < ROUNDS; round++) {
    prices = new Prices(lanes, signaturesToWrite(cover(p, windows, prices).tiles, lanes, saved));
  }
  return worthTheirCode(p, cover(p, windows, prices), prices);
};

const ROUNDS = 3;

const cover = (p: CsrPattern, windows: Windows, prices: Prices): Cover => {
  const { lanes } = prices;
  const heights = [...new Set([lanes, ...halves(lanes), 3])].filter((h) => h > 1 && h <= lanes);
  const best = new Float64Array(p.rows + 1).fill(Infinity);
  const height = new Int32Array(p.rows + 1);
  const how = new Uint8Array(p.rows);
  best[0] = 0;
  const offer = (end: number, cost: number, h: number): void => {
    if (cost >= best[end]) return;
    best[end] = cost;
    height[end] = h;
  };
  for (let i = 0; i < p.rows; i++) {
    const length = lengthOf(p, i);
    const costs = [
      prices.row(length),
      prices.beside(length),
      prices.of(alongSignature(p, i, lanes)),
      runsCost(p, i, prices),
    ];
    const least = Math.min(...costs);
    how[i] = costs.indexOf(least);
    offer(i + 1, best[i] + least, 1);
    for (const h of heights) {
      if (i + h > p.rows || best[i] + windows.leastCost(i, h, prices) >= best[i + h]) continue;
      offer(i + h, best[i] + windows.cost(i, h, prices), h);
    }
  }
  const tiles: Tile[] = [];
  const alone: number[] = [];
  for (let end = p.rows; end > 0; end -= height[end]) {
    const [h, first] = [height[end], end - height[end]];
    if (h > 1) tiles.push(...windows.tiles(first, h, prices));
    else alone.push(first);
  }
  const [inTurn, beside, along, runs] = [0, 1, 2, 3].map((k) => alone.filter((i) => how[i] === k).reverse());
  const { found, over } = besideTiles(p, beside, lanes);
  return {
    tiles: [...tiles.reverse(), ...found, ...along.map((i) => alongTile(p, i, lanes))],
    rows: [...inTurn, ...over].sort((a, b) => a - b),
    runs,
  };
};

const halves = (n: number): number[] => (n < 2 ? [] : [n / 2, ...halves(n / 2)]);

const lengthOf = (p: CsrPattern, i: number): number => p.rowPtr[i + 1] - p.rowPtr[i];

const alongSignature = (p: CsrPattern, i: number, lanes: number) =>
  ({ form: 'along', height: 1, scattered: false, counts: alongCounts(p, i, lanes) }) as const;

const alongCounts = (p: CsrPattern, i: number, lanes: number): Counts => {
  let runs = 0;
  const end = p.rowPtr[i + 1];
  for (let e = p.rowPtr[i], from = e; e < end; e++) {
    if (e + 1 === end || p.colIdx[e + 1] !== p.colIdx[e] + 1) {
      runs += Math.floor((e + 1 - from) / lanes);
      from = e + 1;
    }
  }
  const rest = lengthOf(p, i) - runs * lanes;
  return [runs, Math.floor(rest / lanes), rest % lanes];
};

/** Rows of equal length side by side, those of one shape first, and the rows left over. */
const besideTiles = (
  p: CsrPattern,
  rows: readonly number[],
  lanes: number,
): { readonly found: readonly Tile[]; readonly over: readonly number[] } => {
  const { shapeOf } = rowShapes(p);
  const found: Tile[] = [];
  const cut = (group: readonly number[]): readonly number[] => {
    const whole = group.length - (group.length % lanes);
    for (let k = 0; k < whole; k += lanes) found.push(besideTile(p, group.slice(k, k + lanes)));
    return group.slice(whole);
  };
  const mixed = groupBy(groupBy(rows, (i) => shapeOf[i]).flatMap(cut), (i) => lengthOf(p, i));
  const over = mixed.flatMap((group) => cut([...group].sort((a, b) => a - b)));
  return { found, over };
};

const besideTile = (p: CsrPattern, rows: readonly number[]): Tile => {
  const [h, length] = [rows.length, lengthOf(p, rows[0])];
  const entries = Int32Array.from({ length: h * length }, (_, t) => p.rowPtr[rows[t % h]] + Math.floor(t / h));
  return { form: 'lanes', rows, counts: [0, 0, length], columns: entries.map((e) => p.colIdx[e]), entries };
};

const alongTile = (p: CsrPattern, i: number, lanes: number): Tile => {
  const counts = alongCounts(p, i, lanes);
  const inRuns: number[] = [];
  const others: number[] = [];
  const end = p.rowPtr[i + 1];
  for (let from = p.rowPtr[i]; from < end;) {
    let to = from + 1;
    while (to < end && p.colIdx[to] === p.colIdx[to - 1] + 1) to++;
    const whole = from + lanes * Math.floor((to - from) / lanes);
    for (let e = from; e < to; e++) (e < whole ? inRuns : others).push(e);
    from = to;
  }
  const columns = [...inRuns.filter((_, k) => k % lanes === 0), ...others].map((e) => p.colIdx[e]);
  const entries = Int32Array.from([...inRuns, ...others]);
  return { form: 'along', rows: [i], counts, columns: Int32Array.from(columns), entries };
};
