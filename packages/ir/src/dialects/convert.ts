import type { Scalar } from '../kernel/dialect.js';
import type { Attr } from '../kernel/op.js';
import { type ScalarType, isFloat, isInteger, isWide } from '../kernel/type.js';
import { integerArithmetic, integerRange } from './integer.js';

/**
 * The conversion of `arith.cast`, chosen once per pair of types. As in C: integers wrap, a number is true when it is not
 * zero, integers round to the nearest float. Where C leaves float to integer undefined it saturates, and NaN gives 0.
 */
export const converter = (from: ScalarType, to: ScalarType): ((x: Scalar) => Scalar) => {
  if (from === to) return (x) => x;
  if (to === 'i1') return (x) => (typeof x === 'bigint' ? x !== 0n : Number(x) !== 0);
  if (from === 'i1') return isWide(to) ? (x) => (x ? 1n : 0n) : (x) => (x ? 1 : 0);
  if (isFloat(from)) return to === 'f32' ? (x) => Math.fround(x as number) : to === 'f64' ? (x) => x : saturating(to);
  if (isFloat(to)) return to === 'f32' ? (x) => toF32(x as number | bigint) : (x) => Number(x);
  const { wrap } = integerArithmetic(to);
  if (isWide(to)) return (x) => wrap(BigInt(x as number | bigint));
  return isWide(from) ? (x) => wrap(Number(BigInt.asIntN(32, x as bigint))) : wrap;
};

const saturating = (to: ScalarType): ((x: Scalar) => Scalar) => {
  const [min, max] = integerRange(to);
  const [low, high] = [Number(min), Number(max)];
  const of = isWide(to) ? (x: bigint | number): Scalar => BigInt(x) : (x: bigint | number): Scalar => Number(x);
  return (value) => {
    const x = value as number;
    if (Number.isNaN(x)) return of(0);
    /* 2^63 - 1 rounds up to 2^63 as a double, which is out of range already: hence >= here. */
    return x <= low ? of(min) : x >= high ? of(max) : of(Math.trunc(x) + 0);
  };
};

/** Rounds once: through a double, a 64-bit integer would be rounded twice. */
const toF32 = (x: number | bigint): number => {
  if (typeof x === 'number') return Math.fround(x);
  const magnitude = x < 0n ? -x : x;
  if (magnitude < 1n << 53n) return Math.fround(Number(x));
  const sticky = (magnitude & 0x7ffn) === 0n ? 0n : 1n;
  const rounded = Math.fround(Number((magnitude >> 11n) | sticky)) * 2048;
  return x < 0n ? -rounded : rounded;
};

/** The reinterpretation of `arith.bitcast` between types of one size. */
export const bitcaster = (from: ScalarType, to: ScalarType): ((x: Scalar) => Scalar) => {
  const view = new DataView(new ArrayBuffer(8));
  const [write, read] = [writers[from], readers[to]];
  return (x) => {
    write(view, x);
    return read(view);
  };
};

const writers: Readonly<Record<ScalarType, (v: DataView, x: Scalar) => void>> = {
  i1: (v, x) => v.setUint8(0, x ? 1 : 0),
  i8: (v, x) => v.setInt8(0, x as number),
  i16: (v, x) => v.setInt16(0, x as number),
  i32: (v, x) => v.setInt32(0, x as number),
  i64: (v, x) => v.setBigInt64(0, x as bigint),
  u8: (v, x) => v.setUint8(0, x as number),
  u16: (v, x) => v.setUint16(0, x as number),
  u32: (v, x) => v.setUint32(0, x as number),
  u64: (v, x) => v.setBigUint64(0, x as bigint),
  f32: (v, x) => v.setFloat32(0, x as number),
  f64: (v, x) => v.setFloat64(0, x as number),
};

const readers: Readonly<Record<ScalarType, (v: DataView) => Scalar>> = {
  i1: (v) => v.getUint8(0) !== 0,
  i8: (v) => v.getInt8(0),
  i16: (v) => v.getInt16(0),
  i32: (v) => v.getInt32(0),
  i64: (v) => v.getBigInt64(0),
  u8: (v) => v.getUint8(0),
  u16: (v) => v.getUint16(0),
  u32: (v) => v.getUint32(0),
  u64: (v) => v.getBigUint64(0),
  f32: (v) => v.getFloat32(0),
  f64: (v) => v.getFloat64(0),
};

/** The value of a constant attribute at run time: a decimal string for i64 and u64, a boolean for i1, else a number. */
export const scalarFromAttr = (value: Attr, type: ScalarType): Scalar => {
  if (isWide(type)) return BigInt(value as string);
  return type === 'f32' ? Math.fround(value as number) : (value as number | boolean);
};

/** The attribute that stands for a value of this type: the inverse of `scalarFromAttr`. */
export const attrFromScalar = (value: Scalar, type: ScalarType): Attr => {
  if (isWide(type)) return BigInt(value).toString();
  if (type === 'i1') return Boolean(value);
  return type === 'f32' ? Math.fround(Number(value)) : Number(value);
};

/** Why `value` is no constant of this type, or undefined when it is one. */
export const constantProblem = (value: Attr | undefined, type: ScalarType): string | undefined => {
  if (value === undefined) return `lacks attribute 'value'`;
  if (type === 'i1')
    return typeof value === 'boolean' ? undefined : `an i1 constant must be true or false, it is ${String(value)}`;
  if (isWide(type)) {
    if (typeof value !== 'string' || !/^(0|-?[1-9][0-9]*)$/.test(value))
      return `an ${type} constant must be a decimal string such as "42", it is ${String(value)}`;
    return inRange(BigInt(value), type);
  }
  if (typeof value !== 'number') return `a constant of type ${type} must be a number, it is ${JSON.stringify(value)}`;
  if (!isInteger(type)) return undefined;
  if (!Number.isInteger(value) || Object.is(value, -0))
    return `a constant of type ${type} must be an integer, it is ${value}`;
  return inRange(BigInt(value), type);
};

const inRange = (value: bigint, type: ScalarType): string | undefined => {
  const [min, max] = integerRange(type);
  return value < min || value > max ? `constant ${value} does not fit ${type} (${min} … ${max})` : undefined;
};
