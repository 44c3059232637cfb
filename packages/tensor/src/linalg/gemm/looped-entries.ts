import type { Builder, Value } from '@filigree/ir';
import type { ProductLists } from './entry-tables.js';
import { moved } from './place.js';
import type { TilePlaces } from './micro-kernel.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * A sparse A by a sparse B: for each entry of B its column's entries of A, each product added to C in memory.
 *
 * @param alpha the factor, where it is neither 1 nor -1
 */
export const emitLoopedEntries = (
  b: Builder,
  { spec }: GemmPlan,
  places: TilePlaces,
  { columns, steps, positions, lefts, rows, leftPositions }: ProductLists,
  alpha?: Value,
): void => {
  const { m, n, c, beta, type } = spec;
  const one = b.i32(1);
  const scaled = (x: Value): Value => {
    if (alpha) return b.mul(alpha, x);
    return spec.alpha === -1 ? b.neg(x) : x;
  };
  b.for(b.i32(0), b.i32(n), one, {}, [], (column) => {
    const along = moved(b, places.c, column, c.columnStride);
    if (beta === 0)
      b.for(b.i32(0), b.i32(m), one, { simd: true }, [], (row) => {
        const to = moved(b, along, row, c.rowStride);
        b.store(to.buffer, b.constant(0, type), to.base);
      });
    b.for(b.load(columns, column), b.load(columns, b.add(column, one)), one, {}, [], (entry) => {
      const right = moved(b, places.b, b.load(positions, entry), 1);
      const factor = scaled(b.load(right.buffer, right.base));
      const step = b.load(steps, entry);
      b.for(b.load(lefts, step), b.load(lefts, b.add(step, one)), one, {}, [], (e) => {
        const left = moved(b, places.a, b.load(leftPositions, e), 1);
        const to = moved(b, along, b.load(rows, e), 1);
        b.store(to.buffer, b.fma(b.load(left.buffer, left.base), factor, b.load(to.buffer, to.base)), to.base);
      });
    });
  });
};
