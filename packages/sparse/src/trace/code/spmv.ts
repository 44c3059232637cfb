import { declareBuffer } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { checkedPattern } from '../../formats/patterns/check.js';
import { lanesOf, tileKernel, kernelOptions, type KernelOptions, type SparseKernel } from './kernel.js';
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
export const spmvKernel = (pattern: CsrPattern, options?: KernelOptions): SpmvKernel => {
  const { dtype = 'f64' } = kernelOptions('spmvKernel', options);
  const lanes = lanesOf(dtype);
  const plan = planTiles(checkedPattern(pattern), lanes);
  const from = withSlack(plan);
  const buffers = [
    declareBuffer('A', dtype, from.length, 'input'),
    declareBuffer('x', dtype, pattern.cols, 'input'),
    declareBuffer('y', dtype, pattern.rows, 'output'),
  ];
  const kernel = tileKernel('spmv', plan, from, buffers, (b, region, tile) =>
    tileSums(b, region, tile, lanes, dtype).forEach(({ value, row }) => b.store('y', value, row)),
  );
  return { ...kernel, plan };
};

/** A tile of three rows loads four values at a time; the fourth is the next tile's, or, behind the last, any. */
const withSlack = ({ from, regions }: TilePlan): Int32Array => {
  if (from.length === 0 || !regions.some((r) => r.height === 3)) return from;
  const out = new Int32Array(from.length + 1);
  out.set(from);
  return out;
};
