import { declareBuffer } from '@filigree/ir';
import type { CsrPattern } from '../../formats/csr.js';
import { checkedPattern } from '../order.js';
import { regionKernel, type KernelOptions, type SparseKernel } from './kernel.js';
import { emitRegions } from './row-loops.js';
import { planRows } from './row-plan.js';
import { rowSums } from './row-sums.js';

/**
 * y = A·x for matrices of this pattern (§4), as kernel IR on the core dialects: kernel `spmv`, buffers `A` (values in the
 * order `from`), `x` and `y`. Rows without entries give 0. Sums may be bracketed otherwise than from left to right. Throws
 * `DiagnosticError` on a pattern that is not well-formed.
 */
export const spmvKernel = (pattern: CsrPattern, options: KernelOptions = {}): SparseKernel => {
  const { dtype = 'f64' } = options;
  const plan = planRows(checkedPattern(pattern));
  const buffers = [
    declareBuffer('A', dtype, plan.from.length, 'input'),
    declareBuffer('x', dtype, pattern.cols, 'input'),
    declareBuffer('y', dtype, pattern.rows, 'output'),
  ];
  return regionKernel('spmv', plan, buffers, (b, regions) =>
    emitRegions(b, regions, { lanes: true }, (unit) => {
      const sums = rowSums(
        b,
        unit,
        dtype,
        (k) => b.load('x', unit.column(k)),
        (k, h, x) => b.mul(b.load('A', unit.position(k, h)), x),
      );
      sums.forEach((s, h) => b.store('y', s, unit.row(h)));
    }),
  );
};
