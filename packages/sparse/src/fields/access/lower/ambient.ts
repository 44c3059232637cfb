import type { Value } from '@filigree/ir';
import { along, plus, store, type Address, type Emit } from './address.js';
import type { Storage } from '../../storage/storage.js';

/** Whether cells of a node hold values, outside of pools within them, that are not zero where they are inactive. */
export const hasAmbient = (storage: Storage, node: number): boolean =>
  storage.layout.nodes[node].children.some((c) => {
    const { field } = storage.layout.nodes[c];
    return field ? !Object.is(field.ambient, 0) : !storage.nodes[c].pool && hasAmbient(storage, c);
  });

/** Writes the ambient values that are not zero into a cell of a node, and into all cells in it that are no pool's. */
export const fillAmbient = (e: Emit, node: number, cell: Address): void => {
  const { b, storage } = e;
  for (const c of storage.layout.nodes[node].children) {
    const child = storage.nodes[c];
    const { field } = child.node;
    const at = plus(cell, child.offset);
    if (field && !Object.is(field.ambient, 0)) store(e, ambientOf(e, c), at, field.type);
    else if (!field && !child.pool && hasAmbient(storage, c))
      b.for(b.i32(0), b.i32(child.storedCells), b.i32(1), {}, [], (number) =>
        fillAmbient(e, c, along(plus(at, child.firstCell), number, child.cellBytes)),
      );
  }
};

/** What an inactive element of a field holds. */
export const ambientOf = ({ b, storage }: Emit, place: number): Value => {
  const { type, ambient } = storage.layout.nodes[place].field!;
  if (type === 'i1') return b.constant(ambient !== 0, type);
  return b.constant(type === 'i64' || type === 'u64' ? BigInt(ambient) : ambient, type);
};
