import type { Builder, Value } from '@filigree/ir';
import { HASH_FACTOR, HASH_SHIFT } from '../../storage/hash-of.js';
import { arenaName, type NodeStorage, type Pool } from '../../storage/storage.js';
import { along, fence, fixed, indexOf, load, plus, type Address, type Emit } from './address.js';
import { claim, makeIn, orSink } from './pool.js';
import { AMBIENT_CELL, CLAIMED, settled } from './pool-cell.js';
import { orNone, orOutside, type Lookup } from './sought.js';

/**
 * The number of the cell of a hash table with these coordinates. Open addressing: slots are searched one after the
 * other, from the hash of the coordinates to the first slot that was never used. A removed entry (−1) does not end the
 * search and is not reused before the table is rebuilt, so that two threads that insert the same coordinates meet at
 * one slot.
 */
export const hashLookup = (e: Emit, l: Lookup): Value => {
  const { b } = e;
  const { number: found, slot } = searchTable(e, l.node, l.coordinates);
  if (!l.activate) return orOutside(e, l, orNone(e, l, found));
  const number = orOutside(e, l, found);
  return b.if(
    b.cmp('eq', number, b.i32(AMBIENT_CELL)),
    () => insert(e, l, slot),
    () => number,
  )[0];
};

/** The number of the cell with these coordinates, 0 where there is none, and the slot at which the search ended. */
export const searchTable = (
  e: Emit,
  node: NodeStorage,
  coordinates: readonly Value[],
): { readonly number: Value; readonly slot: Value } =>
  probe(e, node, coordinates, firstSlot(e, node.pool!, coordinates));

/** Says that a search for these coordinates will begin soon. */
export const prefetchSlot = (e: Emit, pool: Pool, coordinates: readonly Value[]): void => {
  const at = indexOf(e, slotAddress(pool, firstSlot(e, pool, coordinates)), 'i32');
  e.b.op('mem.prefetch', [at], { buffer: `@${arenaName(e.storage.memory, 'i32')}` });
};

const firstSlot = ({ b }: Emit, pool: Pool, coordinates: readonly Value[]): Value =>
  b.and(hash(b, coordinates), b.i32(pool.table!.size - 1));

/** `hashOf` of the storage, as ops. */
const hash = (b: Builder, coordinates: readonly Value[]): Value => {
  const last = coordinates[coordinates.length - 1];
  const two = b.i32(2);
  const high = (x: Value, by: number): Value => b.cast(b.shr(b.cast(x, 'u32'), b.constant(by, 'u32')), 'i32');
  const mix = (x: Value): Value => {
    const product = b.mul(x, b.i32(HASH_FACTOR));
    return b.xor(product, high(product, HASH_SHIFT));
  };
  const [first, ...others] = [...coordinates.slice(0, -1), b.shr(last, two)];
  const h = others.reduce((x, c) => mix(b.xor(x, c)), mix(first));
  const place = b.xor(b.shl(b.and(last, b.i32(3)), two), high(h, 28));
  return b.or(b.and(h, b.i32(~15)), place);
};

/** Slots that a search has looked at are at most all of them. One that is claimed was free: nothing lies behind it. */
const probe = (
  e: Emit,
  node: NodeStorage,
  coordinates: readonly Value[],
  first: Value,
): { readonly number: Value; readonly slot: Value } => {
  const { b } = e;
  const pool = node.pool!;
  const { size } = pool.table!;
  const one = b.i32(1);
  const none = b.i32(AMBIENT_CELL);
  const [number, slot] = b.while(
    [first, b.i32(size)],
    ([at, left]) => {
      const found = settled(e, node, load(e, slotAddress(pool, at), 'i32'));
      fence(e, 'acquire');
      const candidate = b.max(found, none);
      const same = b.and(b.cmp('ne', candidate, none), matches(e, pool, coordinates, candidate));
      const ends = b.or(same, b.or(b.cmp('eq', found, none), b.cmp('le', left, one)));
      return [b.not(ends), b.select(same, found, none), at, left];
    },
    ([, at, left]) => [b.and(b.add(at, one), b.i32(size - 1)), b.sub(left, one)],
  );
  return { number, slot };
};

/**
 * Makes a cell in the first free slot from `first` on, unless the coordinates turn up before it: its number. Where another thread has claimed a slot, what
 * it makes may be the same cell. No memory, and a table without a free slot, are reported and give the sink.
 */
const insert = (e: Emit, l: Lookup, first: Value): Value => {
  const { b } = e;
  const { coordinates } = l;
  const pool = l.node.pool!;
  const { size } = pool.table!;
  const one = b.i32(1);
  const none = b.i32(AMBIENT_CELL);
  const claimed = b.i32(CLAIMED);
  const [number] = b.while(
    [first, b.i32(size)],
    ([at, left]) => {
      const slot = indexOf(e, slotAddress(pool, at), 'i32');
      const before = claim(e, slot);
      const candidate = b.select(b.cmp('le', before, claimed), none, before);
      const same = b.and(b.cmp('ne', candidate, none), matches(e, pool, coordinates, candidate));
      const free = b.cmp('eq', before, none);
      const [found] = b.if(
        free,
        () => makeIn(e, l, slot),
        () => b.select(b.or(same, b.cmp('eq', before, claimed)), before, none),
      );
      const waits = b.cmp('eq', found, claimed);
      const taken = b.and(b.cmp('eq', found, none), b.not(free));
      return [b.or(waits, b.and(taken, b.cmp('gt', left, one))), found, waits, at, left];
    },
    ([, waits, at, left]) => [
      b.select(waits, at, b.and(b.add(at, one), b.i32(size - 1))),
      b.select(waits, left, b.sub(left, one)),
    ],
  );
  return orSink(e, l, number);
};

/** Whether a cell has these coordinates. The ambient cell has coordinates too, so reading them is always safe. */
const matches = (e: Emit, pool: Pool, coordinates: readonly Value[], number: Value): Value => {
  const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
  return coordinates.map((c, n) => e.b.cmp('eq', load(e, plus(row, 4 * n), 'i32'), c)).reduce(e.b.and);
};

const slotAddress = (pool: Pool, at: Value): Address => along(fixed(pool.table!.slots), at, 4);
