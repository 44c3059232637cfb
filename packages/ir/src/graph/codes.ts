import { scalarOp, scalarOps } from '../scalar/scalar-op.js';

/** Codes of the scalar table that graphs, and passes over them, treat by name. */
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

/** Columns of the table by code. */
export const ARITY = Uint8Array.from(scalarOps, (o) => o.arity);
export const COST = Uint8Array.from(scalarOps, (o) => o.cost);
export const COMMUTATIVE = Uint8Array.from(scalarOps, (o) => (o.commutative ? 1 : 0));
export const ASSOCIATIVE = Uint8Array.from(scalarOps, (o) => (o.associative ? 1 : 0));
