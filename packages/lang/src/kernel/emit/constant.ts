import { integerRange, isFloat, isWide, type ScalarType } from '@filigree/ir';

/** A literal as a constant of a type, converted as `arith.cast` does: truncated and saturated. */
export const constantOf = (value: number | bigint | boolean, type: ScalarType): number | bigint | boolean => {
  if (type === 'i1') return typeof value === 'boolean' ? value : Number(value) !== 0;
  const x = typeof value === 'boolean' ? Number(value) : value;
  if (isFloat(type)) return Number(x);
  const whole = typeof x === 'bigint' ? x : wholeOf(x, type);
  const [min, max] = integerRange(type);
  const clamped = whole < min ? min : whole > max ? max : whole;
  return isWide(type) ? clamped : Number(clamped);
};

const wholeOf = (x: number, type: ScalarType): bigint => {
  if (Number.isNaN(x)) return 0n;
  const [min, max] = integerRange(type);
  if (x === Infinity) return max;
  return x === -Infinity ? min : BigInt(Math.trunc(x));
};
