import type { Value } from '@filigree/ir';
import { arenaName, type NodeStorage, type Pool } from '../../storage/storage.js';
import { along, anyOf, atomic, fence, fixed, plus, store, type Emit, type Test } from './address.js';
import { AMBIENT_CELL, CLAIMED, poolEntry, SINK_CELL } from './pool-cell.js';
import { draw } from './lots.js';
import { report } from './status.js';

/** A cell to be made. */
export interface Request {
  readonly node: NodeStorage;
  readonly coordinates: readonly Value[];
  readonly site: number;
  /** Whether the cell would be linked from a sink: then it could never be found again. */
  readonly lost: readonly Test[];
}

/**
 * The number of the cell of a slot, an i32 of the arena at this index, made if there is none; the sink if there is no memory. Of threads that want the
 * same cell the first claims the slot, and only then takes a cell, so that none is taken in vain; the others wait until it is there.
 *
 * The thread that makes the cell does so within the loop in which others wait, and what ends the loop is known from the number alone: threads in step
 * that wait for one of them would wait for ever if that one left the loop first.
 */
export const allocate = (e: Emit, request: Request, slot: Value): Value => {
  const { b } = e;
  const make = (): Value => {
    const [number] = b.while(
      [],
      () => {
        const before = claim(e, slot);
        const [found] = b.if(
          b.cmp('eq', before, b.i32(AMBIENT_CELL)),
          () => makeIn(e, request, slot),
          () => before,
        );
        return [b.cmp('eq', found, b.i32(CLAIMED)), found];
      },
      () => [],
    );
    return orSink(e, request, number);
  };
  if (request.lost.length === 0) return make();
  return b.if(anyOf(b, request.lost), () => b.i32(SINK_CELL), make)[0];
};

/** Claims a slot unless something is in it, and gives what was there. */
export const claim = (e: Emit, slot: Value): Value => {
  const { b } = e;
  const before = b.cas(words(e), b.i32(AMBIENT_CELL), b.i32(CLAIMED), slot);
  fence(e, 'acquire');
  return before;
};

/** Makes a cell, and puts its number into the slot that this thread has claimed; 0, and the slot is as it was, if there is no memory. */
export const makeIn = (e: Emit, { node, coordinates }: Omit<Request, 'lost'>, slot: Value): Value => {
  const { b } = e;
  const pool = node.pool!;
  const number = draw(e, node);
  b.if(b.cmp('ne', number, b.i32(AMBIENT_CELL)), () => {
    const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
    coordinates.forEach((c, n) => store(e, c, plus(row, 4 * n), 'i32'));
    store(e, b.i32(1), poolEntry(pool.active, number), 'i32');
  });
  /* Who finds the cell comes after. */
  fence(e, 'release');
  b.atomic(words(e), 'exchange', number, slot);
  return number;
};

/** The number or, where it is 0 since there is no memory, which is reported, the sink. */
export const orSink = (e: Emit, { site, coordinates }: Omit<Request, 'lost'>, number: Value): Value =>
  e.b.if(
    e.b.cmp('eq', number, e.b.i32(AMBIENT_CELL)),
    () => {
      report(e, 'exhausted', site, coordinates);
      return e.b.i32(SINK_CELL);
    },
    () => number,
  )[0];

/** Records that a cell which nobody has used may be given out again after the next collection. */
export const recycle = (e: Emit, pool: Pool, number: Value): void => {
  const at = atomic(e, 'add', e.b.i32(1), fixed(pool.recycledCount));
  store(e, number, poolEntry(pool.recycled, at), 'i32');
};

const words = ({ storage }: Emit): string => arenaName(storage.memory, 'i32');
