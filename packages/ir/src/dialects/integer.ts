import type { Scalar } from '../kernel/dialect.js';
import type { ScalarType } from '../kernel/type.js';
import { byteSize } from '../kernel/type.js';
import type { Lane } from './define.js';

/**
 * Exact integer arithmetic of one width. Everything wraps modulo 2^bits, so `i32` min / -1 is min again. Shift amounts
 * count modulo the width, as in WebAssembly. Division and remainder truncate towards zero and are called only with a
 * non-zero divisor.
 */
export type IntegerArithmetic = Readonly<
  Record<
    'add' | 'sub' | 'mul' | 'div' | 'rem' | 'min' | 'max' | 'neg' | 'and' | 'or' | 'xor' | 'not' | 'shl' | 'shr',
    Lane
  >
> & {
  /** Any integer modulo 2^bits. */
  readonly wrap: (x: Scalar) => Scalar;
};

export const integerArithmetic = (type: ScalarType): IntegerArithmetic => {
  const found = arithmetic[type];
  if (!found) throw new Error(`${type} is not an integer type`);
  return found;
};

/** The least and greatest value of an integer type. */
export const integerRange = (type: ScalarType): readonly [min: bigint, max: bigint] => {
  const bits = BigInt(8 * byteSize(type));
  return type.startsWith('u') ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
};

/** Widths up to 32 bits: plain numbers, where int32 operators of JavaScript are exact before the wrap. */
const narrow = (bits: number, wrap: (x: number) => number): IntegerArithmetic => {
  const mask = bits - 1;
  const unsigned = wrap(-1) > 0;
  return numbers({
    add: (a, b) => wrap(a + b),
    sub: (a, b) => wrap(a - b),
    mul: (a, b) => wrap(Math.imul(a, b)),
    div: (a, b) => wrap(Math.trunc(a / b)),
    rem: (a, b) => wrap(a % b),
    min: (a, b) => (a < b ? a : b),
    max: (a, b) => (a > b ? a : b),
    neg: (a) => wrap(-a),
    and: (a, b) => wrap(a & b),
    or: (a, b) => wrap(a | b),
    xor: (a, b) => wrap(a ^ b),
    not: (a) => wrap(~a),
    shl: (a, b) => wrap(a << (b & mask)),
    shr: unsigned ? (a, b) => a >>> (b & mask) : (a, b) => a >> (b & mask),
    wrap,
  });
};

const wide = (wrap: (x: bigint) => bigint): IntegerArithmetic =>
  bigints({
    add: (a, b) => wrap(a + b),
    sub: (a, b) => wrap(a - b),
    mul: (a, b) => wrap(a * b),
    div: (a, b) => wrap(a / b),
    rem: (a, b) => a % b,
    min: (a, b) => (a < b ? a : b),
    max: (a, b) => (a > b ? a : b),
    neg: (a) => wrap(-a),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    not: (a) => wrap(~a),
    shl: (a, b) => wrap(a << (b & 63n)),
    shr: (a, b) => a >> (b & 63n),
    wrap,
  });

/* The tables are written on number or bigint and used on `Scalar`: the verifier has made sure which of them arrives. */
const numbers = (table: Record<keyof IntegerArithmetic, (a: number, b: number) => number>): IntegerArithmetic =>
  table as unknown as IntegerArithmetic;
const bigints = (table: Record<keyof IntegerArithmetic, (a: bigint, b: bigint) => bigint>): IntegerArithmetic =>
  table as unknown as IntegerArithmetic;

const arithmetic: Readonly<Partial<Record<ScalarType, IntegerArithmetic>>> = {
  i8: narrow(8, (x) => (x << 24) >> 24),
  i16: narrow(16, (x) => (x << 16) >> 16),
  i32: narrow(32, (x) => x | 0),
  u8: narrow(8, (x) => x & 0xff),
  u16: narrow(16, (x) => x & 0xffff),
  u32: narrow(32, (x) => x >>> 0),
  i64: wide((x) => BigInt.asIntN(64, x)),
  u64: wide((x) => BigInt.asUintN(64, x)),
};
