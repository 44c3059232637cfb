import type { Value } from '@filigree/ir';
import { hasAmbient } from '../../storage/initialize.js';
import { along, anyOf, atomic, fence, indexOf, load, plus, type Address, type Emit } from './address.js';
import { cellAt } from './cell-at.js';
import { hashLookup } from './hash.js';
import { AMBIENT_CELL, CLAIMED, poolCell, settled, SINK_CELL } from './pool-cell.js';
import { allocate } from './pool.js';
import { report } from './status.js';
import { orNone, orOutside, lostOf, slotAddress, type Lookup, type CellNumber } from './sought.js';

/** The cell that a lookup finds in a node that is not dense. A lookup that does not activate is branch-free, except in a hash table. */
export const lookupSparse = (e: Emit, l: Lookup): Address => {
  const { node } = l;
  const { pool } = node;
  if (!l.number) return poolCell(node, pool!, hashLookup(e, l));
  if (pool)
    return poolCell(node, pool, node.length === undefined ? slotOf(e, l, l.number) : listSlotOf(e, l, l.number));
  if (l.activate && node.mask !== undefined) setBit(e, l, l.number);
  const { number } = l;
  const cell = cellAt(l, number);
  if (l.activate && node.length !== undefined) whereInside(e, l, () => void extend(e, l, number));
  return cell;
};

/** Whether the cell that a lookup finds is active. */
export const isActive = (e: Emit, l: Lookup): Value => {
  const { b } = e;
  const { node, number } = l;
  if (!number) return b.cmp('ne', hashLookup(e, l), b.i32(AMBIENT_CELL));
  const tests: Value[] = [];
  if (node.length !== undefined)
    tests.push(b.cmp('lt', number.value(), load(e, plus(l.container, node.length), 'i32')));
  if (node.slots !== undefined) tests.push(b.cmp('gt', load(e, slotAddress(l, number), 'i32'), b.i32(CLAIMED)));
  if (node.mask !== undefined) {
    const { word, bit } = bitOf(e, l, number);
    tests.push(b.cmp('ne', b.and(load(e, word, 'i32'), bit), b.i32(0)));
  }
  return tests.reduce(b.and);
};

/** The number of a pool's cell from its slot: 0, the ambient cell, where there is none. */
const slotOf = (e: Emit, l: Lookup, number: CellNumber): Value => {
  const { b } = e;
  const slot = slotAddress(l, number);
  const held = load(e, slot, 'i32');
  const { node, coordinates, site } = l;
  /* What another thread has written into a cell that it made comes before. */
  if (e.makes?.has(node.node.id) && hasAmbient(e.storage, node)) fence(e, 'acquire');
  if (!l.activate) return orOutside(e, l, orNone(e, l, settled(e, node, held)));
  const missing = b.cmp('le', held, b.i32(CLAIMED));
  return b.if(
    l.inside ? b.and(l.inside, missing) : missing,
    () => allocate(e, { node, coordinates, site, lost: lostOf(l) }, indexOf(e, slot, 'i32')),
    () => orOutside(e, l, held),
  )[0];
};

/** The same in a list, which grows to contain the number; whatever lies beyond its end goes to the sink. */
const listSlotOf = (e: Emit, l: Lookup, number: CellNumber): Value => {
  const { b } = e;
  if (!l.activate) return slotOf(e, l, number);
  const sink = (): Value => b.i32(SINK_CELL);
  const found = (): Value => {
    const fits = extend(e, l, number);
    return b.if(fits, () => slotOf(e, { ...l, inside: undefined }, number), sink)[0];
  };
  return l.inside ? b.if(l.inside, found, sink)[0] : found();
};

const whereInside = ({ b }: Emit, { inside }: Lookup, body: () => void): void => {
  if (inside) b.if(inside, body);
  else body();
};

const bitOf = (e: Emit, { node, container }: Lookup, number: CellNumber): { word: Address; bit: Value } => {
  const { b } = e;
  const value = number.value();
  const word = along(plus(container, node.mask!), b.shr(value, b.i32(5)), 4);
  return { word, bit: b.shl(b.i32(1), b.and(value, b.i32(31))) };
};

/** Reads first: most cells are active already, and then no other thread has to give up this cache line. */
const setBit = (e: Emit, l: Lookup, number: CellNumber): void => {
  const { b } = e;
  const { word, bit } = bitOf(e, l, number);
  const missing = b.cmp('eq', b.and(load(e, word, 'i32'), bit), b.i32(0));
  b.if(l.inside ? b.and(l.inside, missing) : missing, () => {
    atomic(e, 'or', bit, word);
  });
};

/**
 * Whether a number fits into a list, which extends to what is written; one beyond its maximum is reported and goes to
 * the spare cell.
 */
const extend = (e: Emit, l: Lookup, number: CellNumber): Value => {
  const { b } = e;
  const at = number.value();
  const length = plus(l.container, l.node.length!);
  const fits = b.cmp('lt', at, b.i32(l.node.cells));
  const lengthen = (): void =>
    void b.if(
      fits,
      () => {
        atomic(e, 'max', b.add(at, b.i32(1)), length);
      },
      () => report(e, 'listFull', l.site, l.coordinates),
    );
  b.if(b.cmp('ge', at, load(e, length, 'i32')), () => {
    const { lost } = l.container;
    if (lost.length === 0) lengthen();
    else b.if(anyOf(b, lost), () => undefined, lengthen);
  });
  return fits;
};
