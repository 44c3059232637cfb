import { scalarOp, scalarOps } from '@filigree/ir';

/** Codes of the scalar table that specialisation treats by name. */
export const VARIABLE = scalarOp('variable').code;
export const CONSTANT = scalarOp('constant').code;
export const ADD = scalarOp('add').code;
export const MUL = scalarOp('mul').code;
export const NEG = scalarOp('neg').code;
export const DIV = scalarOp('div').code;
export const SELECT = scalarOp('select').code;
export const ARMS = scalarOp('arms').code;
export const SQRT = scalarOp('sqrt').code;
export const RSQRT = scalarOp('rsqrt').code;

/** Operand count by code. */
export const ARITY = Uint8Array.from(scalarOps, (o) => o.arity);
export const COST = Uint8Array.from(scalarOps, (o) => o.cost);
export const COMMUTATIVE = Uint8Array.from(scalarOps, (o) => (o.commutative ? 1 : 0));
export const ASSOCIATIVE = Uint8Array.from(scalarOps, (o) => (o.associative ? 1 : 0));
/** Operations on truth values. */
export const AND_LIKE = Uint8Array.from(scalarOps, (o) =>
  o.name === 'and' || o.name === 'or' || o.name === 'not' ? 1 : 0,
);
/** Results that are truth values, and the arms of a select, are no numbers and cannot be stored. */
export const STORABLE = Uint8Array.from(scalarOps, (o) => (o.predicate || o.name === 'arms' || o.arity === 0 ? 0 : 1));
