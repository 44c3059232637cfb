import type { AtomicKind, Value } from '@filigree/ir';
import { rare } from '#lowering';
import type { SNode } from '../../layout/layout.js';
import { storedType } from '../../layout/stored-type.js';
import { atomic, load, store, type Address, type Emit } from './address.js';
import { combine } from './combine.js';

/** The value of a field in the cell at an address. */
export const loadValue = (e: Emit, node: SNode, at: Address): Value =>
  node.stored ? rare().loadFromWord(e, node, at) : load(e, at, storedType(node));

/** Writes it. Of a word that fields share only the bits of this one change, whatever other threads do to them. */
export const storeValue = (e: Emit, node: SNode, value: Value, at: Address, alone: boolean): void => {
  if (node.stored) rare().storeWord(e, [{ node, value }], at, alone);
  else store(e, value, at, storedType(node));
};

/** Combines it with another by `kind` in one step; gives the old one. */
export const atomicValue = (
  e: Emit,
  node: SNode,
  kind: AtomicKind,
  value: Value,
  at: Address,
  alone: boolean,
): Value => {
  if (node.stored) return rare().atomicInWord(e, node, kind, value, at, alone);
  const type = storedType(node);
  if (!alone) return atomic(e, kind, value, at, type);
  const before = load(e, at, type);
  store(e, combine(e.b, kind, before, value), at, type);
  return before;
};
