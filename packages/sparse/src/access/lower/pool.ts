import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool } from '../../storage/storage.js';
import { along, atomic, fixed, load, plus, store, type Address, type Emit, type Test } from './address.js';
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
  /** Whether the cell would be linked from a sink: then it could never be found again. */
  readonly lost: readonly Test[];
}

/**
 * The number of a cell, published by `publish` unless another thread was first; the sink if there is no memory. No
 * thread waits: each takes a cell for itself, and gives it back if it finds another thread's cell in place.
 *
 * @param find looks whether another thread's cell is there by now, before it is said that there is no memory; 0 if not
 * @param publish makes the number known to all; the number that is there in the end, the same one if this thread was first
 */
export const allocate = (e: Emit, request: Request, find: () => Value, publish: (number: Value) => Value): Value => {
  const { b } = e;
  const { pool, coordinates, site, lost } = request;
  const sink = b.i32(SINK_CELL);
  const none = b.i32(AMBIENT_CELL);
  const offer = (number: Value): Value => {
    const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
    coordinates.forEach((c, n) => store(e, c, plus(row, 4 * n), 'i32'));
    const agreed = publish(number);
    b.if(
      b.cmp('eq', agreed, number),
      () => store(e, b.i32(1), entry(pool.active, number), 'i32'),
      () => keepSpare(e, pool, number),
    );
    return agreed;
  };
  const refuse = (): Value => {
    const found = find();
    const exhausted = (): Value => {
      report(e, 'exhausted', site, coordinates);
      return sink;
    };
    return b.if(b.cmp('eq', found, none), exhausted, () => found)[0];
  };
  const take = (): Value => {
    const spare = takeSpare(e, pool);
    const [number] = b.if(
      b.cmp('ne', spare, none),
      () => spare,
      () => draw(e, request),
    );
    return b.if(b.cmp('ne', number, none), () => offer(number), refuse)[0];
  };
  if (lost.length === 0) return take();
  return b.if(lost.map((test) => test(b)).reduce(b.or), () => sink, take)[0];
};

/** The next number: from the free list as long as it lasts, then one that was never used; 0 if there is none. */
const draw = (e: Emit, { node, pool }: Request): Value => {
  const { b } = e;
  const ticket = atomic(e, 'add', b.i32(1), fixed(pool.cursor));
  const freeCount = load(e, fixed(pool.freeCount), 'i32');
  /* Cells of the free list have been reset when they got there. */
  const again = (): Value => load(e, entry(pool.free, ticket), 'i32');
  const first = (): Value => {
    const number = b.add(load(e, fixed(pool.used), 'i32'), b.sub(ticket, freeCount));
    return b.if(
      b.cmp('lt', number, b.i32(pool.capacity)),
      () => {
        if (hasAmbient(e.storage, node.node.id)) fillAmbient(e, node.node.id, poolCell(node, pool, number));
        return number;
      },
      () => {
        atomic(e, 'add', b.i32(-1), fixed(pool.cursor));
        return b.i32(AMBIENT_CELL);
      },
    )[0];
  };
  return b.if(b.cmp('lt', ticket, freeCount), again, first)[0];
};

/** Puts an unused cell where the next thread finds it, or among the recycled ones if there is no room. */
const keepSpare = (e: Emit, pool: Pool, number: Value): void => {
  const { b } = e;
  const { count, mark, cells, size } = pool.spare;
  store(e, b.i32(1), fixed(mark), 'i32');
  const at = atomic(e, 'add', b.i32(1), fixed(count));
  /* Compared as unsigned numbers: while cells are being taken, the count may be negative for a moment. */
  const [pushedOut] = b.if(
    b.cmp('lt', b.cast(at, 'u32'), b.constant(size, 'u32')),
    () => atomic(e, 'exchange', number, entry(cells, at)),
    () => {
      atomic(e, 'add', b.i32(-1), fixed(count));
      return number;
    },
  );
  b.if(b.cmp('ne', pushedOut, b.i32(AMBIENT_CELL)), () => recycle(e, pool, pushedOut));
};

/** A cell that another thread did not need, or 0. One that is being put there at this moment is left for later. */
const takeSpare = (e: Emit, pool: Pool): Value => {
  const { b } = e;
  const { count, cells } = pool.spare;
  const zero = b.i32(0);
  const nothing = (): Value => zero;
  return b.if(
    b.cmp('gt', load(e, fixed(count), 'i32'), zero),
    () => {
      const before = atomic(e, 'add', b.i32(-1), fixed(count));
      return b.if(
        b.cmp('gt', before, zero),
        () => atomic(e, 'exchange', zero, entry(cells, b.sub(before, b.i32(1)))),
        () => {
          atomic(e, 'add', b.i32(1), fixed(count));
          return zero;
        },
      )[0];
    },
    nothing,
  )[0];
};

/** Puts spare cells among those recycled, once nothing is activated any more. */
export const recycleSpare = (e: Emit, pool: Pool): void => {
  const { b } = e;
  const { count, mark, cells, size } = pool.spare;
  const zero = b.i32(0);
  b.if(b.cmp('ne', load(e, fixed(mark), 'i32'), zero), () => {
    b.for(zero, b.i32(size), b.i32(1), {}, [], (n) => {
      const number = load(e, entry(cells, n), 'i32');
      b.if(b.cmp('ne', number, zero), () => {
        store(e, zero, entry(cells, n), 'i32');
        recycle(e, pool, number);
      });
    });
    store(e, zero, fixed(count), 'i32');
    store(e, zero, fixed(mark), 'i32');
  });
};

const recycle = (e: Emit, pool: Pool, number: Value): void => {
  const at = atomic(e, 'add', e.b.i32(1), fixed(pool.recycledCount));
  store(e, number, entry(pool.recycled, at), 'i32');
};

/** An i32 of an array in the arena. */
const entry = (array: number, at: Value): Address => along(fixed(array), at, 4);
