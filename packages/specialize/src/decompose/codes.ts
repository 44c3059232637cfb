import { graphCodes, scalarOps, type Arithmetic } from '@filigree/ir';

/** What the stages of specialisation know operations by. */
export const { VARIABLE, CONSTANT, ADD, MUL, NEG, DIV, SELECT, ARMS, SQRT, RSQRT } = graphCodes;
export const { ARITY, COST, COMMUTATIVE } = graphCodes;

const exceptFor = (...codes: readonly number[]): Uint8Array =>
  graphCodes.ASSOCIATIVE.map((x, code) => (codes.includes(code) ? 0 : x));

const ASSOCIATIVE: Readonly<Record<Arithmetic, Uint8Array>> = {
  /* Of numbers the least and the greatest are the same in any order, −0 below 0 and NaN before all. */
  exact: exceptFor(ADD, MUL),
  /* A partial sum of n terms is at most n times the largest; a partial product may be anything. */
  'range-keeping': exceptFor(MUL),
  algebraic: graphCodes.ASSOCIATIVE,
};

/** 1 for the operations whose operands may be taken in any order and bracketing, by code. */
export const associativeIn = (arithmetic: Arithmetic): Uint8Array => ASSOCIATIVE[arithmetic];

/** Operations on truth values. */
export const AND_LIKE = Uint8Array.from(scalarOps, (o) =>
  o.name === 'and' || o.name === 'or' || o.name === 'not' ? 1 : 0,
);
/** Results that are truth values, and the arms of a select, are no numbers and cannot be stored. */
export const STORABLE = Uint8Array.from(scalarOps, (o) => (o.predicate || o.name === 'arms' || o.arity === 0 ? 0 : 1));
