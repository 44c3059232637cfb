import type { CsrPattern } from '../../../formats/patterns/csr.js';
import type { Prices } from './prices.js';
import { runsCost } from './runs-cost.js';
import { regionTiles } from './tile-plan.js';
import { codeOf, columnsPer, signatureOf, type Cover, type Tile } from './tile.js';

/**
 * A cover without the regions that save less over compressed rows than their code and tables cost, which have to come from memory where a
 * product is not one of many. Their rows are given whole, with the entries that were to be added to them.
 */
export const worthTheirCode = (p: CsrPattern, cover: Cover, prices: Prices): Cover => {
  const { tiles, rows, runs } = runsWorthTheirCode(p, cover, prices);
  const added = new Int32Array(p.rows);
  for (const t of tiles) if (t.form === 'add') added[t.rows[0]]++;
  const saving = (t: Tile): number =>
    t.rows.reduce((n, i) => n + rowCost(p.rowPtr[i + 1] - p.rowPtr[i], prices) - added[i] * prices.add, 0) -
    prices.of(signatureOf(t));
  const regions = regionTiles(
    tiles.filter((t) => t.form !== 'add'),
    prices.lanes,
    () => true,
    Infinity,
  ).map((region) => ({
    ...region,
    worth: region.tiles.reduce((n, t) => n + saving(t), 0) - fromMemory(region.tiles, region.affine, prices.lanes),
  }));
  const poor = regions.filter((r) => r.worth < 0);
  const gain = poor.reduce((n, r) => n - r.worth, 0);
  if (rows.length === 0 && gain <= ROWS_LINES * LINE) return { tiles, rows, runs };
  const taken = new Uint8Array(p.rows);
  for (const i of rows) taken[i] = 1;
  for (const r of poor) for (const t of r.tiles) for (const i of t.rows) taken[i] = 1;
  return {
    tiles: tiles.filter((t) => taken[t.rows[0]] === 0),
    rows: Array.from({ length: p.rows }, (_, i) => i).filter((i) => taken[i] === 1),
    runs,
  };
};

/** Rows by runs of their columns, where all together that saves more over compressed rows than its code costs. */
const runsWorthTheirCode = (p: CsrPattern, { tiles, rows, runs }: Cover, prices: Prices): Cover => {
  const gain = runs.reduce((n, i) => n + rowCost(p.rowPtr[i + 1] - p.rowPtr[i], prices) - runsCost(p, i, prices), 0);
  if (gain > RUN_LINES * LINE) return { tiles, rows, runs };
  return { tiles, rows: [...rows, ...runs].sort((a, b) => a - b), runs: [] };
};

/**
 * Cycles that a line of code and a byte of a table count for: a fortieth of what they take from memory, where lines come one after the
 * other and bytes many at once, since most products are one of many.
 */
const LINE = 8;
const BYTE = 0.008;

/** Bytes of code for a load or an operation, and of a line. */
const CODE_BYTES = 8;
const LINE_BYTES = 64;

/** Most tables are narrow. */
const INDEX_BYTES = 2;

/** Lines of code of a loop besides what it does, and of compressed rows. */
const LOOP_LINES = 2;
const ROWS_LINES = 8;
const RUN_LINES = 12;

const rowCost = (entries: number, prices: Prices): number => prices.row(entries) + BYTE * INDEX_BYTES * (1 + entries);

const fromMemory = (tiles: readonly Tile[], affine: boolean, lanes: number): number => {
  const s = signatureOf(tiles[0]);
  const columns = columnsPer(s.form, s.height, lanes);
  const entries = s.counts.reduce((n, c, k) => n + c * columns[k], s.scattered ? s.height : 1);
  const code = (codeOf(s, lanes) * CODE_BYTES) / LINE_BYTES;
  return LINE * (LOOP_LINES + code) + (affine ? 0 : BYTE * INDEX_BYTES * tiles.length * entries);
};
