import { scalarOp, unaryFunctions, type UnaryFunction } from '@filigree/ir';

type BinaryScalar = 'add' | 'sub' | 'mul' | 'div' | 'rem' | 'min' | 'max' | 'pow';

/**
 * The scalars that vectors and matrices are made of: plain numbers when a kernel's body runs as TypeScript, values of
 * kernel IR when it is compiled. `div` is real division, `rem` has the sign of the dividend, and `constant` is a number
 * written in the source, whose type follows from where it is used.
 */
export interface ScalarRing<S>
  extends Readonly<Record<UnaryFunction | 'neg', (a: S) => S>>, Readonly<Record<BinaryScalar, (a: S, b: S) => S>> {
  readonly constant: (value: number) => S;
  /** An integer as the float that it is; floats as they are. */
  readonly real: (a: S) => S;
}

/** The sum of one or more scalars, from left to right. */
export const sumOf = <S>(ring: ScalarRing<S>, terms: readonly S[]): S => terms.reduce((a, b) => ring.add(a, b));

/** Plain numbers. */
export const numberRing: ScalarRing<number> = {
  ...(Object.fromEntries(unaryFunctions.map((name) => [name, scalarOp(name).evaluate])) as Readonly<
    Record<UnaryFunction, (a: number) => number>
  >),
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
};
