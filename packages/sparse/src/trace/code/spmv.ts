import { buildKernel, declareBuffer, makeModule, type Builder } from '@filigree/ir';
import type { CsrPattern } from '../../formats/csr.js';
import { checkedPattern } from '../order.js';
import type { KernelOptions, SparseKernel } from './kernel.js';
import { Tables } from './tables.js';
import { emitTiles, placeTiles } from './tiles/tile-loops.js';
import { planTiles, type TilePlan } from './tiles/tile-plan.js';
import { tileSums } from './tiles/tile-sums.js';

/** A kernel for y = A·x, and the regions that it is made of. */
export interface SpmvKernel extends SparseKernel {
  readonly plan: TilePlan;
}

/**
 * y = A·x for matrices of this pattern (§4), as kernel IR on the core dialects: kernel `spmv`, buffers `A`, `x` and `y`.
 * A cost model in loads and operations mixes affine regions, rows that share columns and rows like no other, so that none is
 * slower than plain CSR. The host packs the values once, in the order in which the kernel streams them (`packValues`), and
 * again when they change; positions may repeat. Rows without entries give 0. Sums may be bracketed otherwise than from left to right.
 * Throws `DiagnosticError` on a pattern that is not well-formed.
 */
export const spmvKernel = (pattern: CsrPattern, options: KernelOptions = {}): SpmvKernel => {
  const { dtype = 'f64' } = options;
  const plan = planTiles(checkedPattern(pattern), VECTOR_BYTES / (dtype === 'f64' ? 8 : 4));
  const from = withSlack(plan);
  const tables = new Tables();
  const placed = placeTiles(plan, tables);
  const buffers = [
    declareBuffer('A', dtype, from.length, 'input'),
    declareBuffer('x', dtype, pattern.cols, 'input'),
    declareBuffer('y', dtype, pattern.rows, 'output'),
    ...tables.buffers(),
  ];
  const body = (b: Builder): void =>
    emitTiles(b, placed, (region, tile) => {
      const sums = tileSums(b, region, tile, plan.lanes, dtype);
      sums.forEach(({ value, row }) => b.store('y', value, row));
    });
  const kernel = buildKernel('spmv', {}, body, buffers);
  return { module: makeModule('spmv', buffers, [kernel]), plan, from, indexBytes: tables.bytes };
};

/** Vectors of targets with shorter ones are taken apart. */
const VECTOR_BYTES = 32;

/** A tile of three rows loads four values at a time; the fourth is the next tile's, or, behind the last, any. */
const withSlack = ({ from, regions }: TilePlan): Int32Array => {
  if (from.length === 0 || !regions.some((r) => r.height === 3)) return from;
  const out = new Int32Array(from.length + 1);
  out.set(from);
  return out;
};
