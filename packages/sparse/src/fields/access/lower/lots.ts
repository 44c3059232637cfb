import type { Value } from '@filigree/ir';
import { HANDS, LINE } from '../../storage/lots.js';
import { arenaName, type NodeStorage, type Pool } from '../../storage/storage.js';
import { along, atomic, cas, countAmong, fixed, load, plus, store, type Address, type Emit } from './address.js';
import { hasAmbient } from '../../storage/initialize.js';
import { fillAmbient } from './ambient.js';
import { AMBIENT_CELL, poolCell, poolEntry } from './pool-cell.js';
import { takenOf } from './turns.js';

/** The number of a cell that nobody has been given (see `Pool`); 0 if there is none. */
export const draw = (e: Emit, node: NodeStorage): Value => {
  const { b } = e;
  const pool = node.pool!;
  const turns = turnsOf(e, pool);
  const turn = (e.hands === 1 ? drawTogether : drawByHand)(e, pool, turns);
  return b.if(
    b.cmp('eq', turn, b.i32(NO_TURN)),
    () => b.i32(AMBIENT_CELL),
    () => numberOf(e, node, turns, turn),
  )[0];
};

/** A turn of the lot that was opened last; who finds none left in it opens the next. `NO_TURN` where there is none. */
const drawTogether = (e: Emit, pool: Pool, turns: Turns): Value => {
  const { b } = e;
  const [one, opened] = [b.i32(1), fixed(pool.lots.opened)];
  return b.while(
    [load(e, opened, 'i32')],
    ([count]) => {
      const turn = take(e, pool, turns, b.sub(count, one), (taken) => countAmong(e, taken));
      return [b.and(b.cmp('eq', turn, b.i32(NO_TURN)), b.cmp('lt', count, turns.lots)), turn, count];
    },
    ([, count]) => {
      const next = b.add(count, one);
      /* Another thread may have opened it, and others since. */
      return [b.max(next, cas(e, count, next, opened))];
    },
  )[0];
};

/** A turn of the thread's own lot; `NO_TURN` where there is none. */
const drawByHand = (e: Emit, pool: Pool, turns: Turns): Value => {
  const { b } = e;
  const none = b.i32(NO_TURN);
  const isNone = (turn: Value): Value => b.cmp('eq', turn, none);
  const worker = b.value('mem.worker', [], {
    buffer: `@${arenaName(e.storage.memory, 'i32')}`,
    count: e.hands ?? HANDS,
  });
  const hand = handOf(pool, worker);
  const lot = b.sub(load(e, hand, 'i32'), b.i32(1));
  const first = (taken: Address): Value => atomic(e, 'add', b.i32(1), taken);
  const own = take(e, pool, turns, lot, first);
  const another = (): Value =>
    b.while(
      [lot, b.constant(false, 'i1')],
      ([before, searching]) => {
        const [next, all] = b.if(
          searching,
          () => [searchOn(e, pool, before), searching],
          () => open(e, pool, turns, worker),
        );
        store(e, b.add(next, b.i32(1)), hand, 'i32');
        const turn = take(e, pool, turns, next, first);
        return [b.and(isNone(turn), b.cmp('lt', next, turns.lots)), turn, next, all];
      },
      ([, next, all]) => [next, all],
    )[0];
  return b.if(isNone(own), another, () => own)[0];
};

/** All turns of a pool since it was last collected: from `first` to before `end`. */
export interface Turns {
  /** So many that a lot begins where the number of a cell is a multiple of a lot's: a line holds what belongs to one lot. */
  readonly first: Value;
  /** Where the free list ends. */
  readonly fresh: Value;
  readonly end: Value;
  readonly lots: Value;
}

export const turnsOf = (e: Emit, pool: Pool): Turns => {
  const { b } = e;
  const free = load(e, fixed(pool.freeCount), 'i32');
  const used = load(e, fixed(pool.used), 'i32');
  const first = b.and(b.sub(used, free), b.i32(pool.lots.turns - 1));
  const fresh = b.add(first, free);
  const end = b.add(fresh, b.sub(b.i32(pool.capacity), used));
  return { first, fresh, end, lots: b.shr(b.add(end, b.i32(pool.lots.turns - 1)), b.i32(Math.log2(pool.lots.turns))) };
};

/** The first turn of a lot, and the first behind it. */
export const turnsIn = ({ b }: Emit, { lots }: Pool, turns: Turns, lot: Value): readonly [first: Value, end: Value] => {
  const first = b.shl(lot, b.i32(Math.log2(lots.turns)));
  return [b.max(first, turns.first), b.min(b.add(first, b.i32(lots.turns)), turns.end)];
};

/** Address of the number of the thread that opened a lot. */
export const openerOf = (pool: Pool, lot: Value): Address => plus(takenOf(pool, lot), 4);

/** Address of what says from which lot a thread took last. */
export const handOf = (pool: Pool, worker: Value): Address => along(fixed(pool.lots.hands), worker, LINE);

/** The number of the cell whose turn it is. It holds ambient values: in the free list it has been reset. */
export const numberOf = (e: Emit, node: NodeStorage, { first, fresh }: Turns, turn: Value): Value => {
  const { b, storage } = e;
  const pool = node.pool!;
  const again = (): Value => load(e, poolEntry(pool.free, b.sub(turn, first)), 'i32');
  const never = (): Value => {
    const number = b.add(load(e, fixed(pool.used), 'i32'), b.sub(turn, fresh));
    if (hasAmbient(storage, node)) fillAmbient(e, node, poolCell(node, pool, number));
    return number;
  };
  return b.if(b.cmp('lt', turn, fresh), again, never)[0];
};

/** A turn of a lot, `NO_TURN` if none is left or there is no such lot. `count` adds one to the turns taken, and gives what was there. */
const take = (e: Emit, pool: Pool, turns: Turns, lot: Value, count: (taken: Address) => Value): Value => {
  const { b } = e;
  const none = b.i32(NO_TURN);
  return b.if(
    b.cmp('lt', b.cast(lot, 'u32'), b.cast(turns.lots, 'u32')),
    () => {
      const [first, end] = turnsIn(e, pool, turns, lot);
      const taken = takenOf(pool, lot);
      const left = (before: Value): Value => b.cmp('lt', b.add(first, before), end);
      return b.if(
        left(load(e, taken, 'i32')),
        () => {
          const before = count(taken);
          return b.select(left(before), b.add(first, before), none);
        },
        () => none,
      )[0];
    },
    () => none,
  )[0];
};

/** The next lot to be opened or, once all are open, the first that is not known to have no turn left; and whether all are. */
const open = (e: Emit, pool: Pool, { lots }: Turns, worker: Value): readonly Value[] => {
  const { b } = e;
  const opened = fixed(pool.lots.opened);
  const [lot] = b.if(
    b.cmp('lt', load(e, opened, 'i32'), lots),
    () => atomic(e, 'add', b.i32(1), opened),
    () => lots,
  );
  return b.if(
    b.cmp('lt', lot, lots),
    () => {
      store(e, worker, openerOf(pool, lot), 'i32');
      return [lot, b.constant(false, 'i1')];
    },
    () => [load(e, fixed(pool.lots.searched), 'i32'), b.constant(true, 'i1')],
  );
};

/** The lot after one that had no turn left, as none before it had; nobody needs to look at them again. */
const searchOn = (e: Emit, pool: Pool, lot: Value): Value => {
  const next = e.b.add(lot, e.b.i32(1));
  atomic(e, 'max', next, fixed(pool.lots.searched));
  return next;
};

const NO_TURN = -1;
