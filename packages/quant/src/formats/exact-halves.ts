import type { Builder, Value } from '@filigree/ir';
import type { Scale } from './scale.js';

/**
 * Halves of a step in a value, towards zero, by which the nearest code can be told exactly: a product with a rounded factor says
 * it but near odd numbers, the middles between codes. There value and middle are compared as integers, of which the lowest 64
 * bits are enough: both lie so close together that their difference has fewer.
 */
export const exactHalves = (value: number, { step, perHalf }: Scale): number => {
  const x = Math.abs(value);
  const product = x * perHalf;
  if (!(product < 2 ** 52)) return Math.sign(value) * product;
  const down = Math.trunc(product);
  const odd = down % 2 === 0 ? down + 1 : down;
  if (Math.abs(product - odd) >= 0.25) return Math.sign(value) * down;
  const [middle, there] = [significand(step / 2), significand(x)];
  const least = Math.min(middle.exponent, there.exponent);
  const above =
    there.digits << BigInt(there.exponent - least) >= (BigInt(odd) * middle.digits) << BigInt(middle.exponent - least);
  return Math.sign(value) * (above ? odd : odd - 1);
};

/** The same as ops, on an f64; an i64. */
export const emitExactHalves = (b: Builder, value: Value, { step, perHalf }: Scale): Value => {
  const word = b.bitcast(value, 'i64');
  const magnitude = b.and(word, i64(b, 0x7fff_ffff_ffff_ffffn));
  const x = b.bitcast(magnitude, 'f64');
  const product = b.mul(x, b.constant(perHalf, 'f64'));
  const down = b.cast(product, 'i64');
  const odd = b.or(down, i64(b, 1n));
  const off = b.sub(product, b.cast(odd, 'f64'));
  const isNear = b.and(b.cmp('lt', off, b.f64(0.25)), b.cmp('gt', off, b.f64(-0.25)));
  const middle = significand(step / 2);
  const digits = b.or(b.and(magnitude, i64(b, MANTISSA)), i64(b, HIDDEN));
  const exponent = b.shr(magnitude, i64(b, 52n));
  const apart = b.sub(exponent, i64(b, BigInt(middle.exponent + BIAS)));
  const there = b.shl(digits, b.max(apart, i64(b, 0n)));
  const between = b.shl(b.mul(odd, i64(b, middle.digits)), b.max(b.neg(apart), i64(b, 0n)));
  const isAbove = b.cmp('ge', b.sub(there, between), i64(b, 0n));
  const decided = b.select(isAbove, odd, b.sub(odd, i64(b, 1n)));
  const halves = b.select(isNear, decided, down);
  return b.select(b.cmp('lt', word, i64(b, 0n)), b.neg(halves), halves);
};

/** A positive number as digits · 2^exponent; the digits are those of an f64. Subnormal ones are nowhere near a middle, and neither is 0. */
export const significand = (x: number): { readonly digits: bigint; readonly exponent: number } => {
  view.setFloat64(0, x);
  const bits = view.getBigUint64(0);
  return { digits: (bits & MANTISSA) | HIDDEN, exponent: Number(bits >> 52n) - BIAS };
};

const i64 = (b: Builder, value: bigint): Value => b.constant(value, 'i64');

const HIDDEN = 1n << 52n;

const MANTISSA = HIDDEN - 1n;

const BIAS = 1075;

const view = new DataView(new ArrayBuffer(8));
