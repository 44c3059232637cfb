import type { CsrPattern } from '../../../formats/patterns/csr.js';
import { signaturesToWrite } from './prices.js';
import { planOf, type TilePlan } from './tile-plan.js';
import { signatureKey, type Tile } from './tile.js';

/**
 * A plan for products with dense matrices, whose rows fill the lanes by themselves: rows one behind the other that have the
 * same columns are a tile, since what is loaded for a column then serves them all.
 *
 * @param tallest rows of a tile at most, a power of two
 * @param perEntry vectors of an entry; where they are few, tiles of the same length follow one another, so that a processor
 *   knows how long their loops are, or have no loops; where they are many, only what is still in the cache counts
 */
export const planSharedRows = (p: CsrPattern, tallest: number, lanes: number, perEntry: number): TilePlan => {
  const tiles = sharedRows(p, tallest);
  if (perEntry >= MANY) return planOf(tiles, lanes, () => false, 1);
  const written = signaturesToWrite(tiles, lanes, () => LOOPS, perEntry);
  return planOf(tiles, lanes, (s) => written.has(signatureKey(s)), WINDOW);
};

const MANY = 4;

/** Cycles that loops over the entries of a tile take. */
const LOOPS = 14;

const WINDOW = 512;

const sharedRows = (p: CsrPattern, tallest: number): Tile[] => {
  const tiles: Tile[] = [];
  for (let i = 0; i < p.rows;) {
    let end = i + 1;
    while (end < p.rows && end - i < tallest && sameColumns(p, i, end)) end++;
    const height = 2 ** Math.floor(Math.log2(end - i));
    tiles.push(sharedTile(p, i, height));
    i += height;
  }
  return tiles;
};

const sameColumns = (p: CsrPattern, a: number, b: number): boolean => {
  const n = p.rowPtr[a + 1] - p.rowPtr[a];
  if (p.rowPtr[b + 1] - p.rowPtr[b] !== n) return false;
  for (let k = 0; k < n; k++) if (p.colIdx[p.rowPtr[a] + k] !== p.colIdx[p.rowPtr[b] + k]) return false;
  return true;
};

const sharedTile = (p: CsrPattern, first: number, height: number): Tile => {
  const [begin, end] = [p.rowPtr[first], p.rowPtr[first + 1]];
  const length = end - begin;
  return {
    form: 'lanes',
    rows: Array.from({ length: height }, (_, h) => first + h),
    counts: [0, length, 0],
    columns: p.colIdx.slice(begin, end),
    entries: Int32Array.from(
      { length: length * height },
      (_, t) => begin + (t % height) * length + Math.floor(t / height),
    ),
  };
};
