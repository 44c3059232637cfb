import type { UnaryMath } from '../../source/math-functions.js';

type BinaryScalar = 'add' | 'sub' | 'mul' | 'div' | 'rem' | 'min' | 'max' | 'pow';

/**
 * The scalars that vectors and matrices are made of: plain numbers when a kernel's body runs as TypeScript, values of
 * kernel IR when it is compiled. `div` is real division, `rem` has the sign of the dividend, and `constant` is a number
 * written in the source, whose type follows from where it is used.
 */
export interface ScalarRing<S>
  extends Readonly<Record<UnaryMath | 'neg', (a: S) => S>>, Readonly<Record<BinaryScalar, (a: S, b: S) => S>> {
  readonly constant: (value: number) => S;
  /** An integer as the float that it is; floats as they are. */
  readonly real: (a: S) => S;
}

/** The sum of one or more scalars, from left to right. */
export const sumOf = <S>(ring: ScalarRing<S>, terms: readonly S[]): S => terms.reduce((a, b) => ring.add(a, b));

/** Plain numbers. */
export const numberRing: ScalarRing<number> = {
  constant: (value) => value,
  real: (a) => a,
  neg: (a) => -a,
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  rem: (a, b) => a % b,
  min: (a, b) => Math.min(a, b),
  max: (a, b) => Math.max(a, b),
  pow: (a, b) => a ** b,
  abs: Math.abs,
  sqrt: Math.sqrt,
  cbrt: Math.cbrt,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  exp: Math.exp,
  expm1: Math.expm1,
  log: Math.log,
  log1p: Math.log1p,
  log2: Math.log2,
  log10: Math.log10,
  floor: Math.floor,
  ceil: Math.ceil,
  round: Math.round,
  trunc: Math.trunc,
  sign: Math.sign,
};
