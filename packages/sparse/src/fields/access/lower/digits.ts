import type { Builder, Value } from '@filigree/ir';

/** The number from 0 to `extent` − 1 that is nearest to an i32. */
export const clamp = (b: Builder, index: Value, extent: number): Value =>
  b.min(b.max(index, b.i32(0)), b.i32(extent - 1));

/** An i32, if it is from 0 to `extent` − 1, else `extent`. */
export const clampPast = (b: Builder, index: Value, extent: number): Value =>
  b.cast(b.min(b.cast(index, 'u32'), b.constant(extent, 'u32')), 'i32');

/** ⌊i ÷ below⌋ mod extent, not reduced where `extent` is 0, with shifts and masks where that can be; i ≥ 0 unless `signed`. */
export const extract = (b: Builder, index: Value, below: number, extent: number, signed: boolean): Value => {
  const quotient = divide(b, index, below, signed);
  if (extent === 0) return quotient;
  if (extent === 1) return b.i32(0);
  return isPowerOfTwo(extent) ? b.and(quotient, b.i32(extent - 1)) : remainder(b, quotient, extent, signed);
};

/** Whether a cell's coordinate along each axis comes from a Z-order curve. */
export const interleave = (b: Builder, digits: readonly Value[], extent: number): Value => {
  const bits = Math.log2(extent);
  const n = digits.length;
  /* The last axis is the fastest, as row by row. */
  return digits.map((d, a) => b.shl(spread(b, d, bits, n), b.i32(n - 1 - a))).reduce((x, y) => b.or(x, y));
};

/** Moves bit k of a number to bit k · `gap`, spreading halves further apart step by step. */
const spread = (b: Builder, digit: Value, bits: number, gap: number): Value => {
  let value = digit;
  for (let half = 2 ** Math.max(0, Math.ceil(Math.log2(bits)) - 1); half >= 1 && bits > 1 && gap > 1; half /= 2)
    value = b.and(b.or(value, b.shl(value, b.i32(half * (gap - 1)))), b.constant(maskOf(bits, gap, half), 'i32'));
  return value;
};

/** The mask of the bits that a number of this width occupies when groups of `half` bits are `half · gap` apart. */
const maskOf = (bits: number, gap: number, half: number): number => {
  let mask = 0;
  for (let k = 0; k < bits; k++) mask |= 1 << (Math.floor(k / half) * half * gap + (k % half));
  return mask;
};

const divide = (b: Builder, a: Value, by: number, signed: boolean): Value => {
  if (by === 1) return a;
  if (isPowerOfTwo(by)) return b.shr(a, b.i32(Math.log2(by)));
  if (!signed) return b.cast(b.div(b.cast(a, 'u32'), b.constant(by, 'u32')), 'i32');
  /* Towards minus infinity: one less where the remainder is negative. */
  const rest = b.rem(a, b.i32(by));
  return b.sub(b.div(a, b.i32(by)), b.cast(b.cmp('lt', rest, b.i32(0)), 'i32'));
};

const remainder = (b: Builder, a: Value, by: number, signed: boolean): Value => {
  if (!signed) return b.cast(b.rem(b.cast(a, 'u32'), b.constant(by, 'u32')), 'i32');
  const rest = b.rem(a, b.i32(by));
  return b.select(b.cmp('lt', rest, b.i32(0)), b.add(rest, b.i32(by)), rest);
};

const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));
