import { evaluateOp, type Op, type RuntimeValue, type Scalar, type Value } from '@filigree/ir';
import type { Facts } from './facts.js';

/** The scalar that a constant op gives, or all lanes of its vector; nothing for other ops. */
export const constantOfOp = (op: Op, facts: Facts): Scalar | undefined => {
  const def = facts.def(op);
  const value = def?.traits.constant ? evaluateOp(op, def, [])?.[0] : undefined;
  return value === undefined ? undefined : uniform(value);
};

/** The constant that a value is by its definition. */
export const constantIn = (v: Value, definition: (v: Value) => Op | undefined, facts: Facts): Scalar | undefined => {
  const op = definition(v);
  return op && constantOfOp(op, facts);
};

/** The scalar that all lanes of a value are, told apart by identity so that -0 is not 0. */
export const uniform = (value: RuntimeValue): Scalar | undefined => {
  if (!Array.isArray(value)) return value as Scalar;
  const lanes = value as readonly Scalar[];
  return lanes.length > 0 && lanes.every((x) => Object.is(x, lanes[0])) ? lanes[0] : undefined;
};
