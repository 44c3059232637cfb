import { buildKernel, declareBuffer, makeModule, type Builder } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { checkedPattern } from '../../formats/patterns/check.js';
import { emitRows, entriesOfRows, placeRows } from './compressed-rows.js';
import { emitRunRows, placeRunRows } from './run-rows.js';
import { Tables } from './tables.js';
import { coverRows } from './tiles/cover.js';
import { emitTiles, placeTiles } from './tiles/tile-loops.js';
import { lanesOf, kernelOptions, type KernelOptions, type SparseKernel } from './kernel.js';
import { planOf, type TilePlan } from './tiles/tile-plan.js';
import { tileSums, type Sum } from './tiles/tile-sums.js';

/** A kernel for y = A·x, and the regions that it is made of. */
export interface SpmvKernel extends SparseKernel {
  readonly plan: TilePlan;
  /** The rows that are in no region: they are taken one after the other, as compressed rows are. */
  readonly rows: readonly number[];
  /** Rows that are in no region either, and are taken by runs of columns that follow one another. */
  readonly runs: readonly number[];
}

/**
 * y = A·x for matrices of this pattern (§4), as kernel IR on the core dialects: kernel `spmv`, buffers `A`, `x` and `y`.
 * A cost model in loads, operations, bytes of tables and lines of code mixes affine regions, rows that share columns, rows of one length,
 * rows of long runs of columns and compressed rows, each by as many vectors as it is long, so that none is slower than CSR. The host packs the values once, in the order in which the kernel streams them (`packValues`), and
 * again when they change; positions may repeat. Rows without entries give 0. Sums may be bracketed otherwise than from left to right.
 * Throws `DiagnosticError` on a pattern that is not well-formed.
 */
export const spmvKernel = (pattern: CsrPattern, options?: KernelOptions): SpmvKernel => {
  const { dtype = 'f64' } = kernelOptions('spmvKernel', options);
  const lanes = lanesOf(dtype);
  const { tiles, rows, runs } = coverRows(checkedPattern(pattern), lanes);
  const plan = planOf(tiles, lanes, () => true);
  const [own, ofRuns] = [entriesOfRows(pattern, rows), entriesOfRows(pattern, runs)];
  const startOfRuns = plan.from.length + own.length;
  const from = new Int32Array(plan.from.length + Math.max(own.length + ofRuns.length, slackOf(plan)));
  from.set(plan.from);
  from.set(own, plan.from.length);
  from.set(ofRuns, startOfRuns);
  const buffers = [
    declareBuffer('A', dtype, from.length, 'input'),
    declareBuffer('x', dtype, pattern.cols, 'input'),
    declareBuffer('y', dtype, pattern.rows, 'output'),
  ];
  const tables = new Tables();
  const placed = placeTiles(plan, tables);
  const compressed = rows.length > 0 ? placeRows(pattern, { rows, start: plan.from.length }, tables) : undefined;
  const inRuns = runs.length > 0 ? placeRunRows(pattern, { rows: runs, start: startOfRuns }, tables) : undefined;
  const all = [...buffers, ...tables.buffers()];
  const body = (b: Builder): void => {
    const store = ({ value, row }: Sum): void => b.store('y', value, row);
    emitTiles(b, placed, (region, tile) => tileSums(b, region, tile, lanes, dtype).forEach(store));
    if (compressed) emitRows(b, compressed, lanes, dtype, store);
    if (inRuns) emitRunRows(b, inRuns, lanes, dtype, store);
  };
  const module = makeModule('spmv', all, [buildKernel('spmv', {}, body, all)]);
  return { module, from, indexBytes: tables.bytes, plan, rows, runs };
};

/** A tile of three rows loads four values at a time; the fourth is the next tile's, or, behind the last, any. */
const slackOf = ({ from, regions }: TilePlan): number =>
  from.length > 0 && regions.some((r) => r.height === 3) ? 1 : 0;
