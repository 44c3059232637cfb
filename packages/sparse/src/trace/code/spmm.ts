import { declareBuffer } from '@filigree/ir';
import type { CsrPattern } from '../../formats/patterns/csr.js';
import { checkedPattern } from '../../formats/patterns/check.js';
import { forEachPass, loadSlot, onSlot, slotIndex, slotsOf, zeroOf } from './dense-rows.js';
import { checkWidth, lanesOf, tileKernel, kernelOptions, type KernelOptions, type SparseKernel } from './kernel.js';
import { planSharedRows } from './tiles/shared-rows.js';
import { forEachEntry, sharedPosition } from './tiles/shared-loops.js';

/**
 * Y = A·X for matrices of this pattern and dense X with `width` columns: kernel `spmm`, buffers `A` (values in the order
 * `from`), `X` (cols × width) and `Y` (rows × width), both by rows. Throws `DiagnosticError` on a pattern that is not
 * well-formed, and `trace/width`.
 */
export const spmmKernel = (pattern: CsrPattern, width: number, options?: KernelOptions): SparseKernel => {
  const { dtype = 'f64' } = kernelOptions('spmmKernel', options);
  checkWidth('a dense matrix', width, Math.max(pattern.rows, pattern.cols));
  const lanes = lanesOf(dtype);
  const slots = slotsOf(width, lanes);
  const plan = planSharedRows(checkedPattern(pattern), TALLEST, lanes, slots.length);
  const buffers = [
    declareBuffer('A', dtype, plan.from.length, 'input'),
    declareBuffer('X', dtype, pattern.cols * width, 'input'),
    declareBuffer('Y', dtype, pattern.rows * width, 'output'),
  ];
  return tileKernel('spmm', plan, plan.from, buffers, (b, { height }, tile) => {
    const rows = Array.from({ length: height }, (_, h) => h);
    forEachPass(b, slots, Math.max(1, REGISTERS / height), (pass, from) => {
      const zeros = rows.flatMap(() => pass.map((slot) => zeroOf(b, dtype, slot)));
      const sums = forEachEntry(b, tile, zeros, (k, column, before) => {
        const row = b.mul(column, b.i32(width));
        const xs = pass.map((slot) => loadSlot(b, 'X', row, from, slot));
        return rows.flatMap((h) => {
          const a = b.load('A', sharedPosition(b, tile, height, k, h));
          return pass.map((slot, s) => b.add(before[h * pass.length + s], b.mul(onSlot(b, a, slot), xs[s])));
        });
      });
      rows.forEach((h) => {
        const row = b.mul(tile.row(h), b.i32(width));
        pass.forEach((slot, s) => b.store('Y', sums[h * pass.length + s], slotIndex(b, row, from, slot.at)));
      });
    });
  });
};

/** Rows that share what is loaded of X, and sums that stay in registers. */
const TALLEST = 4;
const REGISTERS = 8;
