import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool } from '../../storage/storage.js';
import { along, fixed, type Address } from './address.js';

/** What reads through a missing cell finds, and what takes writes for which there is no memory. */
export const AMBIENT_CELL = 0;
export const SINK_CELL = 1;

/** The address of a pool's cell by its number. */
export const poolCell = (node: NodeStorage, pool: Pool, number: Value): Address => ({
  ...along(fixed(pool.cells), number, node.cellBytes),
  lost: [(b) => b.cmp('eq', number, b.i32(SINK_CELL))],
});

/** An i32 of an array of a pool that begins at an address. */
export const poolEntry = (array: number, at: Value): Address => along(fixed(array), at, 4);
