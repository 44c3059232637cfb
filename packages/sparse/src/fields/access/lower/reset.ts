import type { Value } from '@filigree/ir';
import type { NodeStorage, Pool, Storage } from '../../storage/storage.js';
import { wordsIn } from '../../storage/words.js';
import { along, atomic, fixed, load, plus, store, type Address, type Emit } from './address.js';
import type { SNode } from '../../layout/layout.js';
import { ambientValue, storeAmbient } from './ambient.js';
import { storeValue } from './stored.js';
import { AMBIENT_CELL } from './pool-cell.js';

/**
 * Restores a cell of a node to its initial state: ambient values, no list entries, no mask bits; cells of pools below
 * it are given back. No other thread may use the cell meanwhile.
 */
export const resetCell = (e: Emit, { node }: NodeStorage, cell: Address): void => {
  const { storage } = e;
  if (node.kind === 'bits') return resetElement(e, node, cell);
  for (const word of wordsIn(storage, node)) storeAmbient(e, word, cell);
  for (const child of node.children.map((c) => storage.nodes[c]))
    if (!child.node.field && child.node.kind !== 'bits') resetContainer(e, child, plus(cell, child.offset));
};

/** The same for an element of a bit array: others, which threads may use, lie in its word. */
const resetElement = (e: Emit, { children }: SNode, cell: Address): void => {
  for (const { node, offset } of children.map((c) => e.storage.nodes[c]))
    storeValue(e, node, ambientValue(e, node.id), plus(cell, offset), false);
};

/** The same for a container. Of a list, a mask or slots, only the part in use is visited. */
const resetContainer = (e: Emit, at: NodeStorage, container: Address): void => {
  const { b } = e;
  const zero = b.i32(0);
  if (at.length === undefined) return resetCells(e, at, container, b.i32(at.cells));
  const place = plus(container, at.length);
  const length = b.min(load(e, place, 'i32'), b.i32(at.cells));
  b.if(b.cmp('gt', length, zero), () => {
    store(e, zero, place, 'i32');
    resetCells(e, at, container, length);
  });
};

/** Resets the first `count` cells of a container. */
export const resetCells = (e: Emit, at: NodeStorage, container: Address, count: Value): void => {
  const { b } = e;
  const { pool, mask, slots } = at;
  const zero = b.i32(0);
  if (pool && slots !== undefined) recycleAll(e, pool, plus(container, slots), count);
  else if (mask !== undefined)
    each(e, b.i32(Math.ceil(at.cells / WORD)), false, (n) => {
      const word = along(plus(container, mask), n, 4);
      b.if(b.cmp('ne', load(e, word, 'i32'), zero), () => {
        store(e, zero, word, 'i32');
        const first = b.mul(n, b.i32(WORD));
        const last = at.cells % WORD === 0 ? b.i32(WORD) : b.min(b.i32(WORD), b.sub(b.i32(at.cells), first));
        const cells = along(plus(container, at.firstCell), first, at.cellBytes);
        each(e, last, isPlain(e.storage, at), (k) => resetCell(e, at, along(cells, k, at.cellBytes)));
      });
    });
  else
    each(e, count, isPlain(e.storage, at), (n) =>
      resetCell(e, at, along(plus(container, at.firstCell), n, at.cellBytes)),
    );
};

/** Records that a cell of a pool is no longer used; the next collection resets it and makes it available again. */
export const recycle = (e: Emit, pool: Pool, number: Value): void => {
  const { b } = e;
  store(e, b.i32(0), along(fixed(pool.active), number, 4), 'i32');
  const at = atomic(e, 'add', b.i32(1), fixed(pool.recycledCount));
  store(e, number, along(fixed(pool.recycled), at, 4), 'i32');
};

/** The same for all cells in the first `count` slots, which are then empty: their places on the list are taken at once, so that threads do not contend for each. */
const recycleAll = (e: Emit, pool: Pool, slots: Address, count: Value): void => {
  const { b } = e;
  const [zero, one, none] = [b.i32(0), b.i32(1), b.i32(AMBIENT_CELL)];
  const slotOf = (n: Value): Address => along(slots, n, 4);
  const [cells] = b.for(zero, count, one, {}, [zero], (n, [sum]) =>
    b.add(sum, b.cast(b.cmp('ne', load(e, slotOf(n), 'i32'), none), 'i32')),
  );
  b.if(b.cmp('ne', cells, zero), () => {
    const first = atomic(e, 'add', cells, fixed(pool.recycledCount));
    b.for(zero, count, one, {}, [first], (n, [at]) => {
      const found = load(e, slotOf(n), 'i32');
      return b.if(
        b.cmp('ne', found, none),
        () => {
          store(e, zero, slotOf(n), 'i32');
          store(e, zero, along(fixed(pool.active), found, 4), 'i32');
          store(e, found, along(fixed(pool.recycled), at, 4), 'i32');
          return b.add(at, one);
        },
        () => at,
      );
    });
  });
};

const each = ({ b }: Emit, count: Value, plain: boolean, body: (n: Value) => void): void =>
  void b.for(b.i32(0), count, b.i32(1), plain ? { simd: true } : {}, [], body);

/** Whether cells hold values only. */
const isPlain = ({ layout }: Storage, { node }: NodeStorage): boolean =>
  node.children.every((c) => layout.nodes[c].field);

const WORD = 32;
