import type { Builder, Value } from '@filigree/ir';
import type { EntryLists } from './entry-tables.js';
import { loadVector, type TileShape } from './factors.js';
import { storeTile, type TilePlaces, vectorType } from './micro-kernel.js';
import { type Place, moved } from './place.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * So many vectors of rows of C, column by column: each column's sums stay in registers while a loop goes over its entries, which are found
 * by lists.
 *
 * @param alpha the factor in all lanes, where it is neither 1 nor -1
 */
export const emitLoopedColumns = (
  b: Builder,
  plan: GemmPlan,
  shape: TileShape,
  places: TilePlaces,
  { starts, lefts, positions }: EntryLists,
  alpha?: Value,
): void => {
  const { rows } = shape;
  const { spec, pieces } = plan;
  const zero = b.constant(0, vectorType(plan));
  b.for(b.i32(0), b.i32(spec.n), b.i32(1), {}, [], (column) => {
    const [first, last] = [b.load(starts, column), b.load(starts, b.add(column, b.i32(1)))];
    const sums = b.for(
      first,
      last,
      b.i32(1),
      {},
      rows.map(() => zero),
      (entry, carried) => {
        const left = moved(b, places.a, b.load(lefts, entry), 1);
        const right = moved(b, places.b, b.load(positions, entry), 1);
        const number = b.load(right.buffer, right.base);
        const factor = pieces.lanes === 1 ? number : b.splat(number, pieces.lanes);
        return rows.map((r, p) => b.fma(loadVector(b, plan, shape, r, 0, left), factor, carried[p]));
      },
    );
    const along = (place: Place): Place => moved(b, place, column, spec.c.columnStride);
    const at = { ...places, c: along(places.c), ...(places.prefetch && { prefetch: along(places.prefetch) }) };
    storeTile(b, plan, shape, at, sums, alpha);
  });
};
