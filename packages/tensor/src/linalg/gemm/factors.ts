import type { Builder, Value } from '@filigree/ir';
import type { Strides } from '../gemm-spec.js';
import { type Place, indexOf } from './place.js';
import type { GemmPlan } from './gemm-plan.js';

/** A tile's rows and columns: where it begins in the matrices, and its members relative to that. */
export interface TileShape {
  readonly row: number;
  readonly rows: readonly number[];
  readonly column: number;
  readonly columns: readonly number[];
}

/*
 * Places of dense matrices are those of the tile, which may move in a loop; entries of sparse ones are found by where the
 * tile lies, from the beginning of the matrix.
 */

/** Whether the vector of A from row `r` of a tile on has an entry in column `l`. */
export const hasVector = (plan: GemmPlan, shape: TileShape, r: number, l: number): boolean =>
  plan.spec.a.kind === 'dense' || lanePositions(plan, shape, r, l).some((p) => p >= 0);

export const hasNumber = (plan: GemmPlan, shape: TileShape, l: number, c: number): boolean =>
  numberAt(plan, shape, l, c) >= 0;

/** The vector of A from row `r` of a tile on in column `l`, as one load, or put together from its entries. */
export const loadVector = (b: Builder, plan: GemmPlan, shape: TileShape, r: number, l: number, from: Place): Value => {
  if (!plan.gathers) {
    const { a } = plan.spec;
    const { lanes, filled } = plan.pieces;
    const at = indexOf(b, from, a.kind === 'sparse' ? placeIn(a.stored!, shape.row + r, l) : plan.a.at(r, l));
    if (filled < lanes) return b.loadFirst(from.buffer, at, lanes, filled);
    return loadWhole(b, plan, at, from.buffer, shape.columns.length);
  }
  const entries = lanePositions(plan, shape, r, l);
  return gathered(
    b,
    entries.map((p) => (p < 0 ? b.constant(0, plan.spec.type) : b.load(from.buffer, indexOf(b, from, p)))),
  );
};

/** A vector of factors for so many sums: kept in a register where there are several. */
export const loadWhole = (b: Builder, { pieces }: GemmPlan, at: Value, buffer: string, uses: number): Value =>
  pieces.lanes === 1
    ? b.load(buffer, at)
    : b.value('mem.load', [at], { buffer: `@${buffer}`, lanes: pieces.lanes, ...(uses > 1 ? { keep: true } : {}) });

/** The entry of B in row `l` and column `c` of a tile, in all lanes. */
export const loadNumber = (b: Builder, plan: GemmPlan, shape: TileShape, l: number, c: number, from: Place): Value => {
  const number = b.load(from.buffer, indexOf(b, from, numberAt(plan, shape, l, c)));
  return plan.pieces.lanes === 1 ? number : b.splat(number, plan.pieces.lanes);
};

/** The vector of C from row `r` of a tile on in column `c`. */
export const loadResult = (b: Builder, plan: GemmPlan, r: number, c: number, from: Place): Value => {
  const { lanes, filled } = plan.pieces;
  const { rowStride, columnStride } = plan.spec.c;
  const at = r * rowStride + c * columnStride;
  if (rowStride === 1 && filled < lanes) return b.loadFirst(from.buffer, indexOf(b, from, at), lanes, filled);
  if (rowStride === 1) return b.load(from.buffer, indexOf(b, from, at), lanes);
  return gathered(
    b,
    Array.from({ length: lanes }, (_, k) =>
      k < filled ? b.load(from.buffer, indexOf(b, from, at + k * rowStride)) : b.constant(0, plan.spec.type),
    ),
  );
};

export const storeResult = (b: Builder, plan: GemmPlan, r: number, c: number, value: Value, to: Place): void => {
  const { lanes, filled } = plan.pieces;
  const { rowStride, columnStride } = plan.spec.c;
  const at = r * rowStride + c * columnStride;
  if (rowStride === 1 && filled < lanes) return b.storeFirst(to.buffer, value, indexOf(b, to, at), filled);
  if (rowStride === 1 || lanes === 1) return b.store(to.buffer, value, indexOf(b, to, at));
  for (let k = 0; k < filled; k++) b.store(to.buffer, b.extract(value, k), indexOf(b, to, at + k * rowStride));
};

const placeIn = ({ rowStride, columnStride }: Strides, row: number, column: number): number =>
  row * rowStride + column * columnStride;

const numberAt = (plan: GemmPlan, shape: TileShape, l: number, c: number): number =>
  plan.b.at(l, plan.spec.b.kind === 'dense' ? c : shape.column + c);

const lanePositions = (plan: GemmPlan, shape: TileShape, r: number, l: number): readonly number[] => {
  const first = plan.spec.a.kind === 'dense' ? r : shape.row + r;
  return Array.from({ length: plan.pieces.lanes }, (_, k) => (k < plan.pieces.filled ? plan.a.at(first + k, l) : -1));
};

const gathered = (b: Builder, [first, ...rest]: readonly Value[]): Value =>
  rest.length === 0
    ? first
    : rest.reduce((vector, x, k) => b.insert(vector, x, k + 1), b.splat(first, rest.length + 1));
