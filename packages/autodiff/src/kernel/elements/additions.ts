import type { Op, Value } from '@filigree/ir';

/** What is added to an element: by an atomic, or by ops that read it, add, and write it. */
export interface Addition {
  readonly ops: readonly Op[];
  readonly value: Value;
  readonly index: readonly Value[];
}

/** What is known of the values around ops on elements. */
export interface ValueFacts {
  readonly definitions: ReadonlyMap<number, Op>;
  /** How often each value is used. */
  readonly uses: ReadonlyMap<number, number>;
}

/** All that is done to a field, in order, as sums; nothing where there is anything else. */
export const additionsOf = (all: readonly Op[], facts: ValueFacts): readonly Addition[] | undefined => {
  const found: Addition[] = [];
  for (let n = 0; n < all.length; n++) {
    const op = all[n];
    if (op.name === 'field.atomic' && op.attrs.kind === 'add' && !facts.uses.has(op.results[0].id)) {
      const [value, ...index] = op.operands;
      found.push({ ops: [op], value, index });
      continue;
    }
    const plain = op.name === 'field.load' ? plainSum(op, all[++n], facts) : undefined;
    if (!plain) return undefined;
    found.push(plain);
  }
  return found;
};

/** What is read, added to, and written where it was. */
const plainSum = (load: Op, store: Op | undefined, { definitions, uses }: ValueFacts): Addition | undefined => {
  if (store?.name !== 'field.store') return undefined;
  const [sum, ...index] = store.operands;
  const add = definitions.get(sum.id);
  const [before] = load.results;
  if (add?.name !== 'arith.add' || uses.get(sum.id) !== 1 || uses.get(before.id) !== 1) return undefined;
  if (!index.every((v, k) => v.id === load.operands[k].id)) return undefined;
  const [a, b] = add.operands;
  const value = a.id === before.id ? b : b.id === before.id ? a : undefined;
  return value && { ops: [load, add, store], value, index };
};
