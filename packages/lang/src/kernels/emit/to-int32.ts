import { isFloat, type Builder, type ScalarType, type Value } from '@filigree/ir';

/** An operand of bits: an integer as it is, a float as `toInt32` makes it one. */
export const wholeValue = (b: Builder, x: Value): Value => (isFloat(x.type as ScalarType) ? toInt32(b, x) : x);

/**
 * What is left of a float without its fraction, modulo 2³², as an i32 (ECMA-262, ToInt32); 0 of NaN and infinities. All steps are exact: of an f32 from
 * 2³¹ on even the difference is, as both are multiples of 2⁷.
 */
const toInt32 = (b: Builder, x: Value): Value => {
  const of = (n: number): Value => b.constant(n, x.type as ScalarType);
  const whole = b.math('trunc', x);
  const turns = b.math('floor', b.mul(whole, of(2 ** -32)));
  const rest = b.sub(whole, b.mul(turns, of(2 ** 32)));
  const fits = b.cmp('lt', b.math('abs', x), of(2 ** 31));
  return b.select(fits, b.cast(x, 'i32'), b.cast(b.cast(rest, 'u32'), 'i32'));
};

/** The same of a number that is known. */
export const bitsOf = (x: number | bigint | boolean): number =>
  typeof x === 'bigint' ? Number(BigInt.asIntN(32, x)) : Number(x) | 0;
