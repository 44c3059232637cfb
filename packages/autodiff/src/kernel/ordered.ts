import type { Dialect, OpDef } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';

/**
 * Dialects in which an op that hands on one of its operands is another one with these exchanged, as long as derivatives have not been taken: where both are equal, the derivative
 * follows the first, and so min(a, b) and min(b, a) are one value with two derivatives.
 */
export const orderedChoices = (dialects: readonly Dialect[], table: DerivativeTable): readonly Dialect[] =>
  dialects.map((d) => ({
    ...d,
    ops: Object.fromEntries(Object.entries(d.ops).map(([name, op]) => [name, isChoice(op, table) ? ordered(op) : op])),
  }));

const isChoice = ({ name }: OpDef, table: DerivativeTable): boolean => {
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  return row?.is === 'rule' && row.choice !== undefined;
};

const ordered = (op: OpDef): OpDef => ({ ...op, traits: { ...op.traits, commutative: false } });
