import type { Value } from '@filigree/ir';
import { fixed, load, store, type Emit } from '../access/lower/address.js';
import { handOf, numberOf, openerOf, turnsIn, turnsOf } from '../access/lower/lots.js';
import { takenOf } from '../access/lower/turns.js';
import { recycle } from '../access/lower/pool.js';
import { HANDS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import { loadWord, storeWord } from './cells.js';
import { loop } from './loop.js';

/**
 * Puts the cells whose turns are left in open lots among those recycled, and gives the number of turns that have passed then.
 * The last lot is closed where it stands. Nothing may use the pool meanwhile.
 */
export const closeLots = (e: Emit, at: NodeStorage): Value => {
  const { b } = e;
  const pool = at.pool!;
  const [zero, one] = [b.i32(0), b.i32(1)];
  const turns = turnsOf(e, pool);
  const opened = loadWord(e, fixed(pool.lots.opened));
  const [passed] = b.for(zero, b.min(opened, turns.lots), one, {}, [turns.first], (lot) => {
    const taken = takenOf(pool, lot);
    const [first, end] = turnsIn(e, pool, turns, lot);
    const from = b.min(b.add(first, load(e, taken, 'i32')), end);
    const isLast = b.cmp('eq', b.add(lot, one), opened);
    loop(b, b.select(isLast, from, end), (turn) => recycle(e, pool, numberOf(e, at, turns, turn)), { from });
    store(e, zero, handOf(pool, load(e, openerOf(pool, lot), 'i32')), 'i32');
    store(e, zero, taken, 'i32');
    return b.select(isLast, from, end);
  });
  /* When all lots are open threads take from those of others. */
  b.if(b.cmp('ge', opened, turns.lots), () =>
    loop(b, b.i32(HANDS), (worker) => store(e, zero, handOf(pool, worker), 'i32')),
  );
  for (const counter of [pool.lots.opened, pool.lots.searched]) storeWord(e, zero, fixed(counter));
  return b.sub(passed, turns.first);
};
