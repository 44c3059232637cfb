import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool } from '../../storage/storage.js';
import { along, fixed, type Address, type Emit } from './address.js';

/** What reads through a missing cell finds, and what takes writes for which there is no memory. */
export const AMBIENT_CELL = 0;
export const SINK_CELL = 1;

/** What a slot holds while a thread makes its cell: no slot leads to the sink. */
export const CLAIMED = SINK_CELL;

/** What a slot of a node holds for those who only look: no cell while it is being made. */
export const settled = ({ b, makes }: Emit, { node }: NodeStorage, held: Value): Value =>
  makes?.has(node.id) ? b.select(b.cmp('eq', held, b.i32(CLAIMED)), b.i32(AMBIENT_CELL), held) : held;

/** The address of a pool's cell by its number. */
export const poolCell = (node: NodeStorage, pool: Pool, number: Value): Address => ({
  ...along(fixed(pool.cells), number, node.cellBytes),
  lost: [(b) => b.cmp('eq', number, b.i32(SINK_CELL))],
});

/** An i32 of an array of a pool that begins at an address. */
export const poolEntry = (array: number, at: Value): Address => along(fixed(array), at, 4);
