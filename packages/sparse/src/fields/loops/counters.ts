import type { Value } from '@filigree/ir';
import { fixed, type Emit } from '../access/lower/address.js';
import { givenIn } from '../access/lower/turns.js';
import type { Pool } from '../storage/storage.js';
import { loadWord } from './cells.js';

/** One above the largest number of a pool's cell that may have been given out. */
export const lastUsed = (e: Emit, pool: Pool): Value => {
  const { b } = e;
  const fresh = b.max(b.sub(givenIn(e, pool), loadWord(e, fixed(pool.freeCount))), b.i32(0));
  return b.min(b.add(loadWord(e, fixed(pool.used)), fresh), b.i32(pool.capacity));
};
