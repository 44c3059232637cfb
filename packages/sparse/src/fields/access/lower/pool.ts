import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool } from '../../storage/storage.js';
import { addInTurn, along, anyOf, atomic, fence, fixed, load, plus, store, type Emit, type Test } from './address.js';
import { AMBIENT_CELL, poolEntry, SINK_CELL } from './pool-cell.js';
import { draw } from './lots.js';
import { report } from './status.js';

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
    /* Who finds the cell, or is given it, comes after. */
    fence(e, 'release');
    const agreed = publish(number);
    b.if(
      b.cmp('eq', agreed, number),
      () => store(e, b.i32(1), poolEntry(pool.active, number), 'i32'),
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
      () => draw(e, request.node),
    );
    return b.if(b.cmp('ne', number, none), () => offer(number), refuse)[0];
  };
  if (lost.length === 0) return take();
  return b.if(anyOf(b, lost), () => sink, take)[0];
};

/** Puts an unused cell where the next thread finds it, or among the recycled ones if there is no room. */
const keepSpare = (e: Emit, pool: Pool, number: Value): void => {
  const { b } = e;
  const { count, mark, cells, size } = pool.spare;
  store(e, b.i32(1), fixed(mark), 'i32');
  const at = addInTurn(e, b.i32(1), fixed(count));
  /* Compared as unsigned numbers: while cells are being taken, the count may be negative for a moment. */
  const [pushedOut] = b.if(
    b.cmp('lt', b.cast(at, 'u32'), b.constant(size, 'u32')),
    () => atomic(e, 'exchange', number, poolEntry(cells, at)),
    () => {
      addInTurn(e, b.i32(-1), fixed(count));
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
      const before = addInTurn(e, b.i32(-1), fixed(count));
      return b.if(
        b.cmp('gt', before, zero),
        () => {
          const spare = atomic(e, 'exchange', zero, poolEntry(cells, b.sub(before, b.i32(1))));
          fence(e, 'acquire');
          return spare;
        },
        () => {
          addInTurn(e, b.i32(1), fixed(count));
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
      const number = load(e, poolEntry(cells, n), 'i32');
      b.if(b.cmp('ne', number, zero), () => {
        store(e, zero, poolEntry(cells, n), 'i32');
        recycle(e, pool, number);
      });
    });
    store(e, zero, fixed(count), 'i32');
    store(e, zero, fixed(mark), 'i32');
  });
};

/** Records that a cell may be given out again after the next collection. */
export const recycle = (e: Emit, pool: Pool, number: Value): void => {
  const at = atomic(e, 'add', e.b.i32(1), fixed(pool.recycledCount));
  store(e, number, poolEntry(pool.recycled, at), 'i32');
};
