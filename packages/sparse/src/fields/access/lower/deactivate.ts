import type { NodeStorage } from '../../storage/storage.js';
import { along, atomic, cas, fixed, load, plus, type Address, type Emit } from './address.js';
import { searchTable } from './hash.js';
import { AMBIENT_CELL, CLAIMED } from './pool-cell.js';
import { recycle, resetCell, resetCells } from './reset.js';
import type { Lookup } from './sought.js';

/**
 * Deactivates the cell that a lookup would find. A cell of a pool is unlinked at once and reset by the next collection;
 * a cell inside its container is reset by the thread that cleared its bit. An inactive cell is not written: it may be
 * part of an ambient cell. A cell without a bit is reset.
 */
export const deactivate = (e: Emit, l: Lookup): void => {
  const { b } = e;
  const { node, number } = l;
  const none = b.i32(AMBIENT_CELL);
  if (!number) {
    const found = searchTable(e, node, l.coordinates);
    b.if(b.cmp('ne', found.number, none), () => {
      const slot = along(fixed(node.pool!.table!.slots), found.slot, 4);
      const before = cas(e, found.number, b.i32(REMOVED), slot);
      b.if(b.cmp('eq', before, found.number), () => {
        atomic(e, 'add', b.i32(1), fixed(node.pool!.table!.removed));
        recycle(e, node.pool!, found.number);
      });
    });
  } else if (node.pool) {
    const slot = number.times(plus(l.container, node.slots!), 4);
    const found = load(e, slot, 'i32');
    /* A cell that another thread is making stays. */
    b.if(b.cmp('gt', found, b.i32(CLAIMED)), () => {
      const before = cas(e, found, none, slot);
      b.if(b.cmp('eq', before, found), () => recycle(e, node.pool!, found));
    });
  } else if (node.mask === undefined) {
    resetCell(e, node, number.times(plus(l.container, node.firstCell), node.cellBytes));
  } else {
    const at = number.value();
    const word = along(plus(l.container, node.mask), b.shr(at, b.i32(5)), 4);
    const bit = b.shl(b.i32(1), b.and(at, b.i32(31)));
    const isSet = (mask: typeof bit) => b.cmp('ne', b.and(mask, bit), b.i32(0));
    b.if(isSet(load(e, word, 'i32')), () => {
      const before = atomic(e, 'and', b.not(bit), word);
      b.if(isSet(before), () => resetCell(e, node, number.times(plus(l.container, node.firstCell), node.cellBytes)));
    });
  }
};

/** Empties the list in a container. If several threads do so at once, the first one resets the cells. */
export const clearList = (e: Emit, node: NodeStorage, container: Address): void => {
  const { b } = e;
  const place = plus(container, node.length!);
  const zero = b.i32(0);
  b.if(b.cmp('ne', load(e, place, 'i32'), zero), () => {
    const length = atomic(e, 'exchange', zero, place);
    resetCells(e, node, container, b.min(length, b.i32(node.cells)));
  });
};

/** What a hash table's slot holds where an entry was removed. */
const REMOVED = -1;
