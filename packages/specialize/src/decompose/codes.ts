import { graphCodes, scalarOps } from '@filigree/ir';

/** What the stages of specialisation know operations by. */
export const { VARIABLE, CONSTANT, ADD, MUL, NEG, DIV, SELECT, ARMS, SQRT, RSQRT } = graphCodes;
export const { ARITY, COST, COMMUTATIVE, ASSOCIATIVE } = graphCodes;

/** Operations on truth values. */
export const AND_LIKE = Uint8Array.from(scalarOps, (o) =>
  o.name === 'and' || o.name === 'or' || o.name === 'not' ? 1 : 0,
);
/** Results that are truth values, and the arms of a select, are no numbers and cannot be stored. */
export const STORABLE = Uint8Array.from(scalarOps, (o) => (o.predicate || o.name === 'arms' || o.arity === 0 ? 0 : 1));
