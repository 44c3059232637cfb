import type { Builder, ScalarType, Value } from '@filigree/ir';
import { codeType, type Joint } from '@filigree/sparse/fields';
import { ieeeOf, type Ieee } from './ieee.js';

/** Floats of one word that have an exponent in common: bits of the exponent, of a number's digits, and whether it has a sign. */
export interface SharedShape {
  readonly exponent: number;
  readonly digits: number;
  readonly signed: boolean;
}

/**
 * Numbers F·2^(E - b - f + 1) of f digits that share E (thesis §5.4.2): E is the least, from 1 on, with which the largest of them is
 * rounded to f digits, and the others lose those of their digits that lie below. The bias b is 2ᵉ⁻¹ - 1; E = 0 is all zeros.
 */
export const sharedExponent = (name: string, shape: SharedShape): Joint => ({
  name,
  bits: shape.exponent,
  encode: (values, type) => {
    const ieee = ieeeOf(type);
    const { shared, codes } = codesOf(
      values.map((v) => ieee.bitsOf(v)),
      shape,
      ieee,
    );
    const wide = shape.digits + (shape.signed ? 1 : 0) > 32;
    return { shared: Number(shared), codes: wide ? codes : codes.map(Number) };
  },
  decode: (code, shared, type) => numberOf(BigInt(code), Number(shared), shape, type),
  emitEncode: (b, values) => emitCodes(b, values, shape),
  emitDecode: (b, code, shared, type) => emitNumber(b, code, shared, shape, type),
});

const largest = (bits: number): number => 2 ** bits - 1;

const biasOf = ({ exponent }: SharedShape): number => 2 ** (exponent - 1) - 1;

/** Bits of a number that are no digits of a code. */
const droppedBy = ({ digits }: SharedShape, { fraction }: Ieee): number => fraction + 1 - digits;

const codesOf = (words: readonly bigint[], shape: SharedShape, ieee: Ieee) => {
  const { digits, signed, exponent } = shape;
  const magnitudes = words.map((word) => {
    const magnitude = word & (ieee.sign - 1n);
    const none = magnitude > ieee.infinity || magnitude < ieee.leastNormal || (!signed && word >= ieee.sign);
    return none ? 0n : magnitude;
  });
  const most = magnitudes.reduce((a, m) => (m > a ? m : a), 0n);
  const dropped = droppedBy(shape, ieee);
  const rounded = most + (dropped === 0 ? 0n : 1n << BigInt(dropped - 1));
  const wanted = Number(rounded >> BigInt(ieee.fraction)) - Number(ieee.bias) + biasOf(shape);
  const shared = Math.min(Math.max(wanted, 1), largest(exponent));
  const top = (1n << BigInt(digits)) - 1n;
  const parts = magnitudes.map((m) => {
    if (m === 0n) return 0n;
    const by = shared - biasOf(shape) + Number(ieee.bias) + dropped - Number(m >> BigInt(ieee.fraction));
    const significand = (m & (ieee.leastNormal - 1n)) | ieee.leastNormal;
    if (by < dropped) return top;
    const nearest = (((significand << 1n) >> BigInt(by)) + 1n) >> 1n;
    return nearest > top ? top : nearest;
  });
  return {
    shared: parts.every((f) => f === 0n) ? 0 : shared,
    codes: parts.map((f, k) => (signed && f !== 0n && words[k] >= ieee.sign ? f | (1n << BigInt(digits)) : f)),
  };
};

const numberOf = (code: bigint, shared: number, shape: SharedShape, type: ScalarType): number => {
  const { digits } = shape;
  const sign = 1n << BigInt(digits);
  if (shared === 0) return 0;
  const magnitude = Number(code & (sign - 1n)) * 2 ** (shared - biasOf(shape) - digits + 1);
  const value = code >= sign ? 0 - magnitude : magnitude;
  return type === 'f32' ? Math.fround(value) : value;
};

/**
 * What `codesOf` does. Shifts that would leave nothing are cut to one that does, and those of numbers that are too large to one that
 * leaves a digit too many; it may go up by one, hence the two digits more. Of zero nothing is left: its exponent is farther below than that.
 */
const emitCodes = (b: Builder, values: readonly Value[], shape: SharedShape) => {
  const { digits, signed, exponent } = shape;
  const ieee = ieeeOf(values[0].type as ScalarType);
  const { constant } = ieee;
  const count = ieee.width === 64 ? ('i64' as const) : ('i32' as const);
  const number = (n: number): Value => b.constant(count === 'i64' ? BigInt(n) : n, count);
  const words = values.map((v) => b.bitcast(v, ieee.word));
  const zero = constant(b, 0n);
  /* What is below wraps, and so ends above infinity, as NaN does, and a negative number where there is no sign. */
  const magnitudes = words.map((word) => {
    const magnitude = signed ? b.and(word, constant(b, ieee.sign - 1n)) : word;
    const least = ieee.leastNormal;
    const odd = b.cmp('gt', b.sub(magnitude, constant(b, least)), constant(b, ieee.infinity - least));
    return b.select(odd, zero, magnitude);
  });
  const most = magnitudes.reduce((x, y) => b.max(x, y));
  const dropped = droppedBy(shape, ieee);
  const rounded = dropped === 0 ? most : b.add(most, constant(b, 1n << BigInt(dropped - 1)));
  const field = (word: Value): Value => b.cast(b.shr(word, constant(b, BigInt(ieee.fraction))), count);
  const rebias = Number(ieee.bias) - biasOf(shape);
  const wanted = b.sub(field(rounded), number(rebias));
  const shared = b.min(b.max(wanted, number(1)), number(largest(exponent)));
  const parts = magnitudes.map((m) => {
    const by = b.sub(b.add(shared, number(rebias + dropped)), field(m));
    const within = b.min(b.max(b.add(by, number(1)), number(dropped)), number(ieee.fraction + 4));
    const significand = b.or(b.and(m, constant(b, ieee.leastNormal - 1n)), constant(b, ieee.leastNormal));
    const halves = b.shr(b.shl(significand, constant(b, 2n)), b.cast(within, ieee.word));
    return b.min(b.shr(b.add(halves, constant(b, 1n)), constant(b, 1n)), constant(b, (1n << BigInt(digits)) - 1n));
  });
  const any = b.cmp('ne', parts.reduce(b.or), zero);
  const signs = (k: number): Value => {
    const sign = b.shr(words[k], constant(b, BigInt(ieee.width - 1)));
    return b.select(b.cmp('eq', parts[k], zero), zero, b.shl(sign, constant(b, BigInt(digits))));
  };
  const code = codeType(digits + (signed ? 1 : 0));
  return {
    shared: b.cast(b.select(any, shared, number(0)), 'u32'),
    codes: parts.map((f, k) => b.cast(signed ? b.or(f, signs(k)) : f, code)),
  };
};

/**
 * The exponent, where a float has its own, makes a power of two, or zero of the exponent that takes the digits away; what is left to the right power is a
 * number. All products are exact. What depends on the exponent alone is computed once for all numbers of a word. The sign is given to the power
 * of two, where it takes the fewest ops; zero has none, which is what adding zero is for, and what compilers with fast arithmetic drop.
 */
const emitNumber = (b: Builder, code: Value, shared: Value, shape: SharedShape, type: ScalarType): Value => {
  const { digits, signed } = shape;
  const ieee = ieeeOf(type);
  const { constant } = ieee;
  const power = b.bitcast(b.shl(b.cast(shared, ieee.word), constant(b, BigInt(ieee.fraction))), ieee.type);
  const scale = b.mul(power, b.constant(2 ** (Number(ieee.bias) - biasOf(shape) - digits + 1), ieee.type));
  const word = b.cast(code, ieee.word);
  const magnitude = b.and(word, constant(b, (1n << BigInt(digits)) - 1n));
  const number = b.cast(b.cast(magnitude, ieee.width === 64 ? 'i64' : 'i32'), ieee.type);
  if (!signed) return b.mul(number, scale);
  const sign = b.and(b.shl(word, constant(b, BigInt(ieee.width - 1 - digits))), constant(b, ieee.sign));
  const signedScale = b.bitcast(b.or(sign, b.bitcast(scale, ieee.word)), ieee.type);
  return b.add(b.mul(number, signedScale), b.constant(0, ieee.type));
};
