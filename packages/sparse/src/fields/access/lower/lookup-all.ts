import type { Value } from '@filigree/ir';
import { arenaName, type NodeStorage } from '../../storage/storage.js';
import { anyOf, indexOf, type Address, type Emit, type Test } from './address.js';
import { hashLookup } from './hash.js';
import { allocate } from './pool.js';
import { CLAIMED, poolCell, SINK_CELL } from './pool-cell.js';
import { slotsName, wordsName, wordsOf } from './scratch.js';
import { lostOf, orOutside, slotAddress, type Lookup } from './sought.js';

/**
 * The cells that several activating lookups of one node find. What a thread needs to create the missing ones goes into
 * scratch buffers, and a single loop creates them.
 */
export const lookupAll = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Address[] =>
  (node.node.kind === 'hash' ? inTable(e, node, lookups) : bySlots(e, node, lookups)).map((number) =>
    poolCell(node, node.pool!, number),
  );

const bySlots = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Value[] => {
  const { b, storage } = e;
  const arena = arenaName(storage.memory, 'i32');
  const slots = lookups.map((l) => indexOf(e, slotAddress(l, l.number!), 'i32'));
  const held = (): readonly Value[] => slots.map((slot) => b.load(arena, slot));
  const isMissing = (number: Value): Value => b.cmp('le', number, b.i32(CLAIMED));
  const missing = held()
    .map((number, k) => {
      const { inside } = lookups[k];
      return inside ? b.and(inside, isMissing(number)) : isMissing(number);
    })
    .reduce(b.or);
  const lost = lookups.map((l): readonly Test[] => {
    const { inside } = l;
    return inside ? [...lostOf(l), (b) => b.cmp('eq', inside, b.bool(false))] : lostOf(l);
  });
  const canBeLost = lost.some((tests) => tests.length > 0);
  b.if(missing, () => {
    slots.forEach((slot, k) => {
      b.store(slotsName(storage), slot, b.i32(k));
      putCoordinates(e, node, k, lookups[k].coordinates);
      if (canBeLost) {
        const any = lost[k].length > 0 ? b.cast(anyOf(b, lost[k]), 'i32') : b.i32(0);
        b.store(wordsName(storage), any, b.i32((k + 1) * wordsOf(node) - 1));
      }
    });
    b.for(b.i32(0), b.i32(lookups.length), b.i32(1), {}, [], (k) => {
      const slot = b.load(slotsName(storage), k);
      b.if(isMissing(b.load(arena, slot)), () => {
        const { coordinates, last } = getCoordinates(e, node, k);
        const isLost: Test = () => b.cmp('ne', b.load(wordsName(storage), last), b.i32(0));
        allocate(e, { node, coordinates, site: lookups[0].site, lost: canBeLost ? [isLost] : [] }, slot);
      });
    });
  });
  /* What is still missing found no memory. */
  return held().map((number, k) => orOutside(e, lookups[k], b.max(number, b.i32(SINK_CELL))));
};

const inTable = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Value[] => {
  const { b, storage } = e;
  const outside = lookups.some((l) => l.inside);
  const [zero, sink] = [b.i32(0), b.i32(SINK_CELL)];
  lookups.forEach((l, k) => {
    putCoordinates(e, node, k, l.coordinates);
    if (outside)
      b.store(wordsName(storage), l.inside ? b.select(l.inside, zero, sink) : zero, b.i32((k + 1) * wordsOf(node) - 1));
  });
  b.for(zero, b.i32(lookups.length), b.i32(1), {}, [], (k) => {
    const { coordinates, last } = getCoordinates(e, node, k);
    const find = (): void =>
      b.store(wordsName(storage), hashLookup(e, { ...lookups[0], coordinates, inside: undefined }), last);
    if (outside) b.if(b.cmp('eq', b.load(wordsName(storage), last), zero), find);
    else find();
  });
  return lookups.map((_, k) => b.load(wordsName(storage), b.i32((k + 1) * wordsOf(node) - 1)));
};

const putCoordinates = ({ b, storage }: Emit, node: NodeStorage, k: number, coordinates: readonly Value[]): void =>
  coordinates.forEach((c, n) => b.store(wordsName(storage), c, b.i32(k * wordsOf(node) + n)));

const getCoordinates = (
  { b, storage }: Emit,
  node: NodeStorage,
  k: Value,
): { coordinates: readonly Value[]; last: Value } => {
  const row = b.mul(k, b.i32(wordsOf(node)));
  const at = (n: number): Value => b.add(row, b.i32(n));
  const { axes } = node.pool!;
  return { coordinates: axes.map((_, n) => b.load(wordsName(storage), at(n))), last: at(axes.length) };
};
