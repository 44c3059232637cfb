import { declareBuffer, walk, type Buffer, type Module, type Op, type Value } from '@filigree/ir';
import { arenaName, type NodeStorage, type Storage } from '../../storage/storage.js';
import { indexOf, type Address, type Emit } from './address.js';
import { hashLookup } from './hash.js';
import { slotAddress, type Lookup } from './lookup.js';
import { allocate } from './pool.js';
import { AMBIENT_CELL, poolCell, SINK_CELL } from './pool-cell.js';

/**
 * The cells that several activating lookups of one node find. What a thread needs to create the missing ones goes into
 * scratch buffers, and a single loop creates them.
 */
export const lookupAll = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Address[] =>
  (node.node.kind === 'hash' ? inTable(e, node, lookups) : bySlots(e, node, lookups)).map((number) =>
    poolCell(node, node.pool!, number),
  );

/** The scratch buffers that a module's lookups need. */
export const scratchFor = (storage: Storage, module: Module): readonly Buffer[] => {
  let most = 0;
  let words = 0;
  for (const kernel of module.kernels)
    walk(kernel.body, (op) => {
      if (op.name !== 'snode.lookup_all') return;
      most = Math.max(most, Number(op.attrs.count));
      words = Math.max(words, Number(op.attrs.count) * wordsOf(storage.nodes[Number(op.attrs.node)]));
    });
  return most === 0
    ? []
    : [
        declareBuffer(slotsName(storage), storage.index, most, 'scratch'),
        declareBuffer(wordsName(storage), 'i32', words, 'scratch'),
      ];
};

/** Coordinates, and whether the place is one of those that take what finds no room; in a hash table the number found. */
const wordsOf = (node: NodeStorage): number => node.pool!.axes.length + 1;

const slotsName = (storage: Storage): string => `${storage.memory}_new_slots`;
const wordsName = (storage: Storage): string => `${storage.memory}_new_cells`;

const bySlots = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Value[] => {
  const { b, storage } = e;
  const arena = arenaName(storage.memory, 'i32');
  const none = b.i32(AMBIENT_CELL);
  const slots = lookups.map((l) => indexOf(e, slotAddress(l, l.number!), 'i32'));
  const missing = slots.map((slot) => b.cmp('eq', b.load(arena, slot), none)).reduce(b.or);
  const lost = lookups.map((l) => l.container.lost.map((test) => test(b)));
  const canBeLost = lost.some((tests) => tests.length > 0);
  b.if(missing, () => {
    slots.forEach((slot, k) => {
      b.store(slotsName(storage), slot, b.i32(k));
      putCoordinates(e, node, k, lookups[k].coordinates);
      if (canBeLost) {
        const any = lost[k].length > 0 ? b.cast(lost[k].reduce(b.or), 'i32') : b.i32(0);
        b.store(wordsName(storage), any, b.i32((k + 1) * wordsOf(node) - 1));
      }
    });
    b.for(b.i32(0), b.i32(lookups.length), b.i32(1), {}, [], (k) => {
      const slot = b.load(slotsName(storage), k);
      b.if(b.cmp('eq', b.load(arena, slot), none), () => {
        const { coordinates, last } = getCoordinates(e, node, k);
        allocate(
          e,
          {
            node,
            pool: node.pool!,
            coordinates,
            site: lookups[0].site,
            lost: canBeLost ? [() => b.cmp('ne', b.load(wordsName(storage), last), none)] : [],
          },
          () => b.load(arena, slot),
          (mine) => {
            const before = b.cas(arena, none, mine, slot);
            return b.select(b.cmp('eq', before, none), mine, before);
          },
        );
      });
    });
  });
  /* What is still missing found no memory. */
  return slots.map((slot) => {
    const number = b.load(arena, slot);
    return b.select(b.cmp('eq', number, none), b.i32(SINK_CELL), number);
  });
};

const inTable = (e: Emit, node: NodeStorage, lookups: readonly Lookup[]): readonly Value[] => {
  const { b, storage } = e;
  lookups.forEach((l, k) => putCoordinates(e, node, k, l.coordinates));
  b.for(b.i32(0), b.i32(lookups.length), b.i32(1), {}, [], (k) => {
    const { coordinates, last } = getCoordinates(e, node, k);
    b.store(wordsName(storage), hashLookup(e, { ...lookups[0], coordinates }), last);
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

/** The lookups that an op stands for, from those of one. */
export const splitOperands = (op: Op): readonly (readonly Value[])[] => {
  const each = op.operands.length / Number(op.attrs.count);
  return Array.from({ length: Number(op.attrs.count) }, (_, k) => op.operands.slice(k * each, (k + 1) * each));
};
