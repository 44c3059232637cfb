import { byteSize, combineBy, type AtomicKind, type Scalar } from '@filigree/ir';
import type { SNode } from '../layout/layout.js';
import { storedType } from '../layout/stored-type.js';
import { slotAt, valueIn, withSum, withValues } from '../storage/codes.js';
import type { Arena } from './arena.js';

/** The value of a field at an address. */
export const readValue = (arena: Arena, node: SNode, address: number): Scalar => {
  const { field, stored } = node;
  const type = storedType(node);
  const slot = slotAt(stored, address, byteSize(type));
  const word = arena.array(type)[slot.index];
  if (slot.stored) return valueIn(field!, slot.stored, word);
  return type === 'i1' ? word !== 0 : word;
};

/** Writes a value of a field. */
export const writeValue = (arena: Arena, node: SNode, address: number, value: Scalar): void => {
  if (node.stored) return writeWord(arena, [{ node, value }], address);
  const type = storedType(node);
  arena.array(type)[address / byteSize(type)] = typeof value === 'boolean' ? Number(value) : value;
};

/** Combines a value of a field with another, as an atomic operation does. */
export const combineValue = (arena: Arena, node: SNode, address: number, kind: AtomicKind, value: Scalar): void => {
  const { field, stored } = node;
  if (kind !== 'add' || !stored?.format.addend) {
    const old = readValue(arena, node, address);
    return writeValue(arena, node, address, combineBy(field!.type, kind)(old, value));
  }
  const type = storedType(node);
  const words = arena.array(type);
  const slot = slotAt(stored, address, byteSize(type));
  words[slot.index] = withSum(words[slot.index], { field: field!, stored: slot.stored, value });
};

/** Writes values of fields that share a word, at once. */
export const writeWord = (
  arena: Arena,
  values: readonly { readonly node: SNode; readonly value: Scalar }[],
  address: number,
): void => {
  const type = storedType(values[0].node);
  const words = arena.array(type);
  const slots = values.map(({ node }) => slotAt(node.stored, address, byteSize(type)));
  const [{ index }] = slots;
  const writings = values.map(({ node: { field }, value }, n) => ({ field: field!, stored: slots[n].stored!, value }));
  words[index] = withValues(words[index], writings);
};
