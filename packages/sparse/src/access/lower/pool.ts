import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool } from '../../storage/storage.js';
import { along, atomic, cas, fixed, load, plus, store, type Address, type Emit, type Test } from './address.js';
import { fillAmbient, hasAmbient } from './ambient.js';
import { report } from './status.js';

/** What reads through a missing cell finds, and what takes writes for which there is no memory. */
export const AMBIENT_CELL = 0;
export const SINK_CELL = 1;

/** The address of a pool's cell by its number. */
export const poolCell = (node: NodeStorage, pool: Pool, number: Value): Address => ({
  ...along(fixed(pool.cells), number, node.cellBytes),
  lost: [(b) => b.cmp('eq', number, b.i32(SINK_CELL))],
});

/** A cell to be made. */
export interface Request {
  readonly node: NodeStorage;
  readonly pool: Pool;
  readonly coordinates: readonly Value[];
  readonly site: number;
  /** Whether it would hang in a place that takes what finds no room: then it would never be found again. */
  readonly lost: readonly Test[];
}

/**
 * The number of a cell that is published by `publish` unless another thread was first; the sink where there is no memory.
 * Nobody waits: a thread allocates for itself, and gives the cell back when it finds that another thread's is there.
 *
 * @param find looks whether another thread's cell is there by now, before it is said that there is no memory; 0 if not
 * @param publish makes the number known to all; the number that is there in the end, the same one if this thread was first
 */
export const allocate = (
  e: Emit,
  request: Request,
  find: () => Value,
  publish: (number: Value) => Value,
): Value => {
  const { b } = e;
  const { pool, coordinates, site, lost } = request;
  const sink = b.i32(SINK_CELL);
  const none = b.i32(AMBIENT_CELL);
  const offer = ({ ticket, number, fresh }: Drawn): Value => {
    prepare(e, request, number, fresh);
    const agreed = publish(number);
    b.if(
      b.cmp('eq', agreed, number),
      () => store(e, b.i32(1), entry(pool.active, number), 'i32'),
      () => giveBack(e, pool, ticket, number),
    );
    return agreed;
  };
  const refuse = (): Value => {
    atomic(e, 'add', b.i32(-1), fixed(pool.cursor));
    const found = find();
    const exhausted = (): Value => {
      report(e, 'exhausted', site, coordinates);
      return sink;
    };
    return b.if(b.cmp('eq', found, none), exhausted, () => found)[0];
  };
  const take = (): Value => {
    const drawn = draw(e, pool);
    return b.if(
      b.cmp('lt', drawn.number, b.i32(pool.capacity)),
      () => offer(drawn),
      refuse,
    )[0];
  };
  if (lost.length === 0) return take();
  return b.if(lost.map((test) => test(b)).reduce(b.or), () => sink, take)[0];
};

/** A number from a pool. */
interface Drawn {
  readonly ticket: Value;
  readonly number: Value;
  /** Whether it was never used. */
  readonly fresh: Value;
}

/** The next number: from the free list as long as it lasts, then one that was never used. May be above the last. */
const draw = (e: Emit, pool: Pool): Drawn => {
  const { b } = e;
  const ticket = atomic(e, 'add', b.i32(1), fixed(pool.cursor));
  const freeCount = load(e, fixed(pool.freeCount), 'i32');
  const fresh = b.cmp('ge', ticket, freeCount);
  const [number] = b.if(
    fresh,
    () => b.add(load(e, fixed(pool.used), 'i32'), b.sub(ticket, freeCount)),
    () => load(e, entry(pool.free, ticket), 'i32'),
  );
  return { ticket, number, fresh };
};

const prepare = (e: Emit, { node, pool, coordinates }: Request, number: Value, fresh: Value): void => {
  const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
  coordinates.forEach((c, n) => store(e, c, plus(row, 4 * n), 'i32'));
  /* Cells of the free list have been reset when they got there. */
  if (hasAmbient(e.storage, node.node.id))
    e.b.if(fresh, () => fillAmbient(e, node.node.id, poolCell(node, pool, number)));
};

/** Nobody has seen the cell: if it is still the last to have been given out, it is as if it never was. */
const giveBack = (e: Emit, pool: Pool, ticket: Value, number: Value): void => {
  const { b } = e;
  const next = b.add(ticket, b.i32(1));
  const before = cas(e, next, ticket, fixed(pool.cursor));
  b.if(b.cmp('ne', before, next), () => {
    const at = atomic(e, 'add', b.i32(1), fixed(pool.recycledCount));
    store(e, number, entry(pool.recycled, at), 'i32');
  });
};

/** An i32 of an array in the arena. */
const entry = (array: number, at: Value): Address => along(fixed(array), at, 4);
