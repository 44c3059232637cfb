import type { Value } from '@filigree/ir';
import type { Address, Emit } from '../access/lower/address.js';
import type { Coordinates } from './cells.js';
import type { Loop } from './plan.js';

/** The cells of a row, those that differ along the innermost loop's axis only: the first of them, and how many. */
export interface Row {
  readonly loop: Loop;
  /** Digits along the node's other axes. */
  readonly digits: Coordinates;
  /** The digit along the row at which it begins, where it is a block; a multiple of the block's size. */
  readonly from: Value | undefined;
  /** Address of the mask. */
  readonly mask: Address;
}

/** Digits of a row: of the last of several blocks there may be fewer. */
export const boundOf = (e: Emit, { loop: { at, axis, count, part }, from }: Pick<Row, 'loop' | 'from'>): Value => {
  const { b } = e;
  const extent = at.node.extents[axis];
  return from && part && extent % part.size !== 0 ? b.min(b.i32(count), b.sub(b.i32(extent), from)) : b.i32(count);
};
