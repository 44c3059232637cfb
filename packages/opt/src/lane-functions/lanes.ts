import { lanesOf, type Builder, type Type, type Value } from '@filigree/ir';

/** Arithmetic on vectors of f32 that all have as many lanes. */
export interface Lanes {
  readonly b: Builder;
  /** A number on all lanes, as f32, f64 and i32. */
  readonly float: (value: number) => Value;
  readonly double: (value: number) => Value;
  readonly word: (value: number) => Value;
  /** c₀ + x·(c₁ + x·(c₂ + …)), in f32 or f64 as `x` is. */
  readonly polynomial: (x: Value, coefficients: readonly number[]) => Value;
  /** |a| with the sign of `b`. */
  readonly withSign: (a: Value, b: Value) => Value;
  /** The bits of floats. */
  readonly bits: (a: Value) => Value;
  readonly fromBits: (a: Value) => Value;
}

/** That on vectors like `x`. */
export const lanesOn = (b: Builder, x: Value): Lanes => {
  const lanes = lanesOf(x.type);
  const float = (value: number): Value => b.constant(value, { lanes, of: 'f32' } satisfies Type);
  const double = (value: number): Value => b.constant(value, { lanes, of: 'f64' } satisfies Type);
  const word = (value: number): Value => b.constant(value, { lanes, of: 'i32' } satisfies Type);
  const bits = (a: Value): Value => b.bitcast(a, 'i32');
  const fromBits = (a: Value): Value => b.bitcast(a, 'f32');
  return {
    b,
    float,
    double,
    word,
    bits,
    fromBits,
    polynomial: (x, coefficients) =>
      coefficients
        .slice(0, -1)
        .reduceRight((sum, c) => b.add(b.mul(sum, x), b.constant(c, x.type)), b.constant(coefficients.at(-1)!, x.type)),
    withSign: (a, of) => fromBits(b.or(b.and(bits(a), word(0x7fffffff)), b.and(bits(of), word(-0x80000000)))),
  };
};
