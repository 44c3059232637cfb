import { P0, P1, P2, lower, mix, mul0, mul1, mul2, residueOfWord, wrap } from './field.js';

/*
 * The residues of an operation from those of its operands, three words each: `out[o ..]` from `x[i ..]` and `y[j ..]`.
 */

export type Residues = Int32Array;

export const sumOf = (out: Residues, o: number, x: Residues, i: number, y: Residues, j: number): void => {
  out[o] = wrap(x[i] + y[j], P0);
  out[o + 1] = wrap(x[i + 1] + y[j + 1], P1);
  out[o + 2] = wrap(x[i + 2] + y[j + 2], P2);
};

export const differenceOf = (out: Residues, o: number, x: Residues, i: number, y: Residues, j: number): void => {
  out[o] = lower(x[i] - y[j], P0);
  out[o + 1] = lower(x[i + 1] - y[j + 1], P1);
  out[o + 2] = lower(x[i + 2] - y[j + 2], P2);
};

export const negativeOf = (out: Residues, o: number, x: Residues, i: number): void => {
  out[o] = lower(-x[i], P0);
  out[o + 1] = lower(-x[i + 1], P1);
  out[o + 2] = lower(-x[i + 2], P2);
};

export const productOf = (out: Residues, o: number, x: Residues, i: number, y: Residues, j: number): void => {
  out[o] = mul0(x[i], y[j]);
  out[o + 1] = mul1(x[i + 1], y[j + 1]);
  out[o + 2] = mul2(x[i + 2], y[j + 2]);
};

/** A function of one operand that is no polynomial: a random value that its residues determine. */
export const functionOf = (out: Residues, o: number, code: number, x: Residues, i: number): void => {
  const x0 = x[i];
  const x1 = x[i + 1];
  const x2 = x[i + 2];
  /* Three lanes from one 32-bit word would carry 32 bits: each lane mixes the operand's lanes in another order. */
  out[o] = residueOfWord(mix(mix(mix(code, x0), x1), x2), P0);
  out[o + 1] = residueOfWord(mix(mix(mix(x2, code), x0), x1), P1);
  out[o + 2] = residueOfWord(mix(mix(x1, x0), mix(code, x2)), P2);
};

/** The same of two operands, whose order counts unless the operation commutes. */
export const operationOf = (
  out: Residues,
  o: number,
  code: number,
  commutes: boolean,
  x: Residues,
  i: number,
  y: Residues,
  j: number,
): void => {
  const swap = commutes && x[i] > y[j];
  const x0 = swap ? y[j] : x[i];
  const x1 = swap ? y[j + 1] : x[i + 1];
  const x2 = swap ? y[j + 2] : x[i + 2];
  const y0 = swap ? x[i] : y[j];
  const y1 = swap ? x[i + 1] : y[j + 1];
  const y2 = swap ? x[i + 2] : y[j + 2];
  out[o] = residueOfWord(mix(mix(mix(mix(mix(mix(code, x0), x1), x2), y0), y1), y2), P0);
  out[o + 1] = residueOfWord(mix(mix(mix(x2, code), x0), mix(mix(y2, x1), y1)), P1);
  out[o + 2] = residueOfWord(mix(mix(x1, x0), mix(mix(y1, y0), mix(code, y2))), P2);
};
