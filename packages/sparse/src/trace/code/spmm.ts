import { declareBuffer, type Builder, type Value } from '@filigree/ir';
import type { CsrPattern } from '../../formats/csr.js';
import { checkedPattern } from '../order.js';
import { checkWidth, regionKernel, type KernelOptions, type SparseKernel } from './kernel.js';
import { emitRegions, type Unit } from './row-loops.js';
import { planRows } from './row-plan.js';

/**
 * Y = A·X for matrices of this pattern and dense X with `width` columns: kernel `spmm`, buffers `A` (values in the order
 * `from`), `X` (cols × width) and `Y` (rows × width), both by rows. Throws `DiagnosticError` on a pattern that is not
 * well-formed, and `trace/width`.
 */
export const spmmKernel = (pattern: CsrPattern, width: number, options: KernelOptions = {}): SparseKernel => {
  const { dtype = 'f64' } = options;
  checkWidth('a dense matrix', width, Math.max(pattern.rows, pattern.cols));
  const plan = planRows(checkedPattern(pattern), { unitTerms: UNIT_TERMS });
  const buffers = [
    declareBuffer('A', dtype, plan.from.length, 'input'),
    declareBuffer('X', dtype, pattern.cols * width, 'input'),
    declareBuffer('Y', dtype, pattern.rows * width, 'output'),
  ];
  return regionKernel('spmm', plan, buffers, (b, regions) =>
    emitRegions(b, regions, { lanes: false }, (unit) => {
      const rows = Array.from({ length: unit.height }, (_, h) => b.mul(unit.row(h), b.i32(width)));
      if (typeof unit.length === 'number') knownColumns(b, unit, unit.length, rows, width, dtype);
      else columnByColumn(b, unit, unit.length, rows, width, dtype);
    }),
  );
};

/** Values of a unit that stay in registers. */
const UNIT_TERMS = 16;

/** All columns of the unit at once: sums stay in registers. */
const knownColumns = (
  b: Builder,
  unit: Unit,
  length: number,
  rows: readonly Value[],
  width: number,
  dtype: 'f32' | 'f64',
): void => {
  const columns = Array.from({ length }, (_, k) => b.mul(unit.column(k), b.i32(width)));
  const values = rows.map((_, h) => columns.map((_, k) => b.load('A', unit.position(k, h))));
  b.for(b.i32(0), b.i32(width), b.i32(1), { simd: true }, [], (n) => {
    const x = columns.map((c) => b.load('X', b.add(c, n)));
    rows.forEach((row, h) => {
      const terms = values[h].map((a, k) => b.mul(a, x[k]));
      b.store('Y', terms.length === 0 ? b.constant(0, dtype) : terms.reduce((s, t) => b.add(s, t)), b.add(row, n));
    });
  });
};

const columnByColumn = (
  b: Builder,
  unit: Unit,
  length: Value,
  rows: readonly Value[],
  width: number,
  dtype: 'f32' | 'f64',
): void => {
  const [zero, one, end] = [b.i32(0), b.i32(1), b.i32(width)];
  b.for(zero, end, one, { simd: true }, [], (n) => {
    for (const row of rows) b.store('Y', b.constant(0, dtype), b.add(row, n));
  });
  b.for(zero, length, one, {}, [], (k) => {
    const column = b.mul(unit.column(k), end);
    const values = rows.map((_, h) => b.load('A', unit.position(k, h)));
    b.for(zero, end, one, { simd: true }, [], (n) => {
      const x = b.load('X', b.add(column, n));
      rows.forEach((row, h) => {
        const at = b.add(row, n);
        b.store('Y', b.add(b.load('Y', at), b.mul(values[h], x)), at);
      });
    });
  });
};
