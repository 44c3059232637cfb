import type { Op, Value } from '@filigree/ir';
import { takenBy } from './out-of-branches.js';

/** The ops that a value is made of, among those by which values are defined here. */
export const coneOf = (value: Value, definitions: ReadonlyMap<number, Op>): ReadonlySet<Op> => {
  const found = new Set<Op>();
  const visit = (v: Value): void => {
    const op = definitions.get(v.id);
    if (!op || found.has(op)) return;
    found.add(op);
    takenBy(op).forEach(visit);
  };
  visit(value);
  return found;
};
