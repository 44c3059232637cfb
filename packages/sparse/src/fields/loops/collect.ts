import type { Value } from '@filigree/ir';
import { along, cas, fixed, type Emit } from '../access/lower/address.js';
import { searchTable } from '../access/lower/hash.js';
import { poolCell } from '../access/lower/pool-cell.js';
import { resetCell } from '../access/lower/reset.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage, type Pool } from '../storage/storage.js';
import { closeLots } from './close-lots.js';
import { entry, loadWord, storeWord } from './cells.js';
import { inParts } from './lists.js';
import { loop } from './loop.js';

/**
 * Resets the recycled cells of a node's pool and returns them to its free list. The cells of pools below them are
 * recycled in turn, so inner pools are collected afterwards. Nothing may use the pool meanwhile.
 */
export const collect = (e: Emit, at: NodeStorage): void => {
  const { b } = e;
  const pool = at.pool!;
  const zero = b.i32(0);
  b.if(b.cmp('ne', loadWord(e, fixed(pool.recycledCount)), zero), () => {
    const given = closeLots(e, at);
    const recycled = loadWord(e, fixed(pool.recycledCount));
    const free = loadWord(e, fixed(pool.freeCount));
    /* The first entries of the free list are gone: recycled cells go there, then behind the last, or the last ones move. */
    const gone = b.min(given, free);
    const put = (n: Value): void => {
      const number = loadWord(e, entry(pool.recycled, n));
      resetCell(e, at, poolCell(at, pool, number));
      storeWord(e, number, entry(pool.free, b.select(b.cmp('lt', n, gone), n, b.add(n, b.sub(free, gone)))));
    };
    inParts(e, recycled, 0, Math.ceil(at.cellBytes / 4), put);
    const moved = b.max(b.min(b.sub(gone, recycled), b.sub(free, gone)), zero);
    loop(b, moved, (n) => {
      const last = loadWord(e, entry(pool.free, b.add(b.sub(free, moved), n)));
      storeWord(e, last, entry(pool.free, b.add(recycled, n)));
    });
    settle(e, pool, b.add(b.sub(free, gone), recycled), b.sub(given, gone));
    if (pool.table) rebuildIfWorn(e, at);
  });
};

/** Resets the counters; if no cell is left in use, cells are given out from the first again. */
const settle = (e: Emit, pool: Pool, free: Value, fresh: Value): void => {
  const { b } = e;
  const zero = b.i32(0);
  const first = b.i32(RESERVED_CELLS);
  const used = b.min(b.add(loadWord(e, fixed(pool.used)), fresh), b.i32(pool.capacity));
  const empty = b.cmp('eq', b.sub(used, first), free);
  storeWord(e, b.select(empty, first, used), fixed(pool.used));
  storeWord(e, b.select(empty, zero, free), fixed(pool.freeCount));
  storeWord(e, zero, fixed(pool.recycledCount));
};

/** A table is made anew where more than this part of its slots hold removed entries. */
const WORN = 1 / 8;

const rebuildIfWorn = (e: Emit, at: NodeStorage): void => {
  const { b } = e;
  const pool = at.pool!;
  const { slots, size, removed } = pool.table!;
  const zero = b.i32(0);
  b.if(b.cmp('gt', loadWord(e, fixed(removed)), b.i32(Math.floor(size * WORN))), () => {
    storeWord(e, zero, fixed(removed));
    inParts(e, size, 0, 1, (n) => storeWord(e, zero, entry(slots, n)));
    inParts(e, loadWord(e, fixed(pool.used)), RESERVED_CELLS, 4, (n) => {
      b.if(b.cmp('ne', loadWord(e, entry(pool.active, n)), zero), () => insert(e, at, n));
    });
  });
};

/**
 * Enters an active cell into a table that does not have it yet: where the search for it ends, unless another thread is
 * faster.
 */
const insert = (e: Emit, at: NodeStorage, number: Value): void => {
  const { b } = e;
  const pool = at.pool!;
  const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
  const coordinates = pool.axes.map((_, n) => loadWord(e, { ...row, bytes: row.bytes + 4 * n }));
  b.while(
    [],
    () => {
      const { slot } = searchTable(e, at, coordinates);
      const before = cas(e, b.i32(0), number, entry(pool.table!.slots, slot));
      return [b.cmp('ne', before, b.i32(0))];
    },
    () => [],
  );
};
