import { isWide, type Value } from '@filigree/ir';
import { ambientOf } from '../../layout/ambient.js';
import type { NodeStorage } from '../../storage/storage.js';
import { hasAmbient } from '../../storage/initialize.js';
import { isZero, wordsIn, type Word } from '../../storage/words.js';
import { along, plus, store, type Address, type Emit } from './address.js';

/** Writes the ambient values that are not zero into a cell of a node, and into all cells in it that are no pool's. */
export const fillAmbient = (e: Emit, { node }: NodeStorage, cell: Address): void => {
  const { b, storage } = e;
  for (const word of wordsIn(storage, node)) if (!isZero(word)) storeAmbient(e, word, cell);
  for (const child of node.children.map((c) => storage.nodes[c]))
    if (!child.node.field && !child.pool && hasAmbient(storage, child))
      b.for(b.i32(0), b.i32(child.storedCells), b.i32(1), {}, [], (number) =>
        fillAmbient(e, child, along(plus(cell, child.offset + child.firstCell), number, child.cellBytes)),
      );
};

/** Writes what a word of a cell holds before anything else was written. */
export const storeAmbient = (e: Emit, { offset, type, ambient }: Word, cell: Address): void =>
  store(e, constant(e, ambient, type), plus(cell, offset), type);

/** What an inactive element of a field holds. */
export const ambientValue = (e: Emit, place: number): Value => {
  const { layout } = e.storage;
  const { name, type } = layout.nodes[place].field!;
  return e.b.constant(ambientOf(layout, name), type);
};

const constant = ({ b }: Emit, value: number | bigint, type: Word['type']): Value =>
  b.constant(type === 'i1' ? value !== 0 : isWide(type) ? BigInt(value) : Number(value), type);
