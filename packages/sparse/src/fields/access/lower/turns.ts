import type { Value } from '@filigree/ir';
import { LINE } from '../../storage/lots.js';
import { hasOneLot, type Pool } from '../../storage/storage.js';
import { along, fixed, load, type Address, type Emit } from './address.js';

/** At most so many turns were given since the pool was last collected. Of one lot those that were taken: it has as many as there are cells. */
export const givenIn = (e: Emit, pool: Pool): Value => {
  const { b } = e;
  const { opened, turns } = pool.lots;
  return hasOneLot(pool) ? load(e, takenOf(pool, b.i32(0)), 'i32') : b.mul(load(e, fixed(opened), 'i32'), b.i32(turns));
};

/** Address of the count of the turns taken of a lot. */
export const takenOf = (pool: Pool, lot: Value): Address => along(fixed(pool.lots.taken), lot, LINE);
