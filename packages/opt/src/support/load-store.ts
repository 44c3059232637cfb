import type { Op, Value } from '@filigree/ir';

/** A `mem.load` or `mem.store`, for rewrites that make accesses of several elements of them. What only asks takes `Facts.accesses`. */
export interface LoadStore {
  readonly kind: 'load' | 'store';
  readonly index: Value;
  readonly element: Value;
}

export const loadStoreOf = (op: Op): LoadStore | undefined => {
  if (op.name === 'mem.load') return { kind: 'load', index: op.operands[0]!, element: op.results[0]! };
  if (op.name === 'mem.store') return { kind: 'store', index: op.operands[1]!, element: op.operands[0]! };
  return undefined;
};
