import type { Builder, Value } from '@filigree/ir';
import { HASH_FACTOR, HASH_SHIFT } from '../../storage/hash-of.js';
import { arenaName, type Pool } from '../../storage/storage.js';
import { along, cas, fence, fixed, indexOf, load, plus, type Address, type Emit } from './address.js';
import { allocate } from './pool.js';
import { AMBIENT_CELL, SINK_CELL } from './pool-cell.js';
import { report } from './status.js';
import { orOutside, type Lookup } from './sought.js';

/**
 * The number of the cell of a hash table with these coordinates. Open addressing: slots are searched one after the
 * other, from the hash of the coordinates to the first slot that was never used. A removed entry (−1) does not end the
 * search and is not reused before the table is rebuilt, so that two threads that insert the same coordinates meet at
 * one slot.
 */
export const hashLookup = (e: Emit, l: Lookup): Value => {
  const { b } = e;
  const pool = l.node.pool!;
  const { number: found, slot } = searchTable(e, pool, l.coordinates);
  const number = orOutside(e, l, found);
  if (!l.activate) return number;
  return b.if(
    b.cmp('eq', number, b.i32(AMBIENT_CELL)),
    () =>
      allocate(
        e,
        { node: l.node, pool, coordinates: l.coordinates, site: l.site, lost: [] },
        () => probe(e, pool, l.coordinates, slot).number,
        (mine) => insert(e, l, slot, mine),
      ),
    () => number,
  )[0];
};

/** The number of the cell with these coordinates, 0 where there is none, and the slot at which the search ended. */
export const searchTable = (
  e: Emit,
  pool: Pool,
  coordinates: readonly Value[],
): { readonly number: Value; readonly slot: Value } => probe(e, pool, coordinates, firstSlot(e, pool, coordinates));

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

/** Slots that a search has looked at are at most all of them. */
const probe = (
  e: Emit,
  pool: Pool,
  coordinates: readonly Value[],
  first: Value,
): { readonly number: Value; readonly slot: Value } => {
  const { b } = e;
  const { size } = pool.table!;
  const one = b.i32(1);
  const none = b.i32(AMBIENT_CELL);
  const [number, slot] = b.while(
    [first, b.i32(size)],
    ([at, left]) => {
      const found = load(e, slotAddress(pool, at), 'i32');
      fence(e, 'acquire');
      const removed = b.cmp('lt', found, none);
      const candidate = b.select(removed, none, found);
      const same = b.and(b.cmp('ne', candidate, none), matches(e, pool, coordinates, candidate));
      const ends = b.or(same, b.or(b.cmp('eq', found, none), b.cmp('le', left, one)));
      return [b.not(ends), b.select(same, found, none), at, left];
    },
    ([, at, left]) => [b.and(b.add(at, one), b.i32(size - 1)), b.sub(left, one)],
  );
  return { number, slot };
};

/**
 * Puts a number into the first free slot from `first` on, unless the coordinates turn up before it. A table without a
 * free slot is reported and gives the sink.
 */
const insert = (e: Emit, { node, coordinates, site }: Lookup, first: Value, mine: Value): Value => {
  const { b } = e;
  const pool = node.pool!;
  const { size } = pool.table!;
  const one = b.i32(1);
  const none = b.i32(AMBIENT_CELL);
  const [number] = b.while(
    [first, b.i32(size)],
    ([at, left]) => {
      const before = cas(e, none, mine, slotAddress(pool, at));
      fence(e, 'acquire');
      const won = b.cmp('eq', before, none);
      const candidate = b.max(before, none);
      const same = b.and(b.cmp('ne', candidate, none), matches(e, pool, coordinates, candidate));
      const ends = b.or(won, b.or(same, b.cmp('le', left, one)));
      return [b.not(ends), b.select(won, mine, b.select(same, before, none)), at, left];
    },
    ([, at, left]) => [b.and(b.add(at, one), b.i32(size - 1)), b.sub(left, one)],
  );
  return b.if(
    b.cmp('eq', number, none),
    () => {
      report(e, 'exhausted', site, coordinates);
      return b.i32(SINK_CELL);
    },
    () => number,
  )[0];
};

/** Whether a cell has these coordinates. The ambient cell has coordinates too, so reading them is always safe. */
const matches = (e: Emit, pool: Pool, coordinates: readonly Value[], number: Value): Value => {
  const row = along(fixed(pool.coordinates), number, 4 * pool.axes.length);
  return coordinates.map((c, n) => e.b.cmp('eq', load(e, plus(row, 4 * n), 'i32'), c)).reduce(e.b.and);
};

const slotAddress = (pool: Pool, at: Value): Address => along(fixed(pool.table!.slots), at, 4);
