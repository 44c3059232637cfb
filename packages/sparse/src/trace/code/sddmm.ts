import { declareBuffer, type Builder, type Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/csr.js';
import { checkedPattern } from '../order.js';
import { checkWidth, regionKernel, type KernelOptions, type SparseKernel } from './kernel.js';
import { emitRegions } from './row-loops.js';
import { planRows } from './row-plan.js';

/**
 * B = A ∘ (U·Vᵀ) at the entries of this pattern, the sampled dense–dense product, with inner dimension `width`: kernel
 * `sddmm`, buffers `A` and `B` (values in the order `from`), `U` (rows × width) and `V` (cols × width), both by rows. Throws
 * `DiagnosticError` on a pattern that is not well-formed, and `trace/width`.
 */
export const sddmmKernel = (pattern: CsrPattern, width: number, options: KernelOptions = {}): SparseKernel => {
  const { dtype = 'f64' } = options;
  checkWidth('a dense factor', width, Math.max(pattern.rows, pattern.cols));
  /* Every entry has a loop of its own, so writing units out would gain nothing. */
  const plan = planRows(checkedPattern(pattern), { unitTerms: 0 });
  const buffers = [
    declareBuffer('A', dtype, plan.from.length, 'input'),
    declareBuffer('U', dtype, pattern.rows * width, 'input'),
    declareBuffer('V', dtype, pattern.cols * width, 'input'),
    declareBuffer('B', dtype, plan.from.length, 'output'),
  ];
  return regionKernel('sddmm', plan, buffers, (b, regions) =>
    emitRegions(b, regions, { lanes: false }, (unit) => {
      const rows = Array.from({ length: unit.height }, (_, h) => b.mul(unit.row(h), b.i32(width)));
      const column = (k: number | Value): void => {
        const v = b.mul(unit.column(k), b.i32(width));
        const sums = dots(b, rows, v, width, dtype);
        rows.forEach((_, h) => {
          const at = unit.position(k, h);
          b.store('B', b.mul(b.load('A', at), sums[h]), at);
        });
      };
      if (typeof unit.length === 'number') for (let k = 0; k < unit.length; k++) column(k);
      else b.for(b.i32(0), unit.length, b.i32(1), {}, [], column);
    }),
  );
};

/** Σ_n U[u + n]·V[v + n] for each u. */
const dots = (b: Builder, us: readonly Value[], v: Value, width: number, dtype: 'f32' | 'f64'): readonly Value[] => {
  const zeros = us.map(() => b.constant(0, dtype));
  return b.for(b.i32(0), b.i32(width), b.i32(1), {}, zeros, (n, sums) => {
    const x = b.load('V', b.add(v, n));
    return us.map((u, h) => b.add(sums[h], b.mul(b.load('U', b.add(u, n)), x)));
  });
};
