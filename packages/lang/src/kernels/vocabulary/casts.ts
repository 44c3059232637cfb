import { byteSize, fail, integerRange, isSigned, type ScalarType } from '@filigree/ir';
import type { Mat, Vec } from './vec-types.js';
import { hostValue, shapedOf } from './vec.js';

/** A conversion to a scalar type; of vectors and matrices element by element. */
export interface Cast {
  (x: number | bigint | boolean): number;
  <N extends number>(x: Vec<N>): Vec<N>;
  <R extends number, C extends number>(x: Mat<R, C>): Mat<R, C>;
}

const cast = (convert: (x: number) => number, ofBigInt: (x: bigint) => bigint = (x) => x): Cast =>
  ((x: unknown) => {
    if (typeof x === 'boolean') return x ? 1 : 0;
    if (typeof x === 'bigint') return convert(Number(ofBigInt(x)));
    const { shape, elements } = shapedOf(x);
    return hostValue({ shape, elements: elements.map(convert) });
  }) as Cast;

/** To an integer type. */
const integer = (type: ScalarType): Cast => {
  const [least, greatest] = integerRange(type);
  const wrapped = (x: bigint): bigint =>
    isSigned(type) ? BigInt.asIntN(8 * byteSize(type), x) : BigInt.asUintN(8 * byteSize(type), x);
  return cast((x) => {
    if (Number.isSafeInteger(x)) return x >= least && x <= greatest ? x + 0 : Number(wrapped(BigInt(x)));
    return Number.isNaN(x) ? 0 : Math.min(Number(greatest), Math.max(Number(least), Math.trunc(x))) + 0;
  }, wrapped);
};

/*
 * To integers: whole numbers wrap, as integers do in a kernel; others are truncated, and go to the nearest end of the type where
 * they are out of range, as floats do, and to 0 for NaN. On the host every number is a double: whole ones are exact up to 2⁵³ and
 * count as floats beyond, and a float that happens to be whole counts as an integer.
 */
/** To a signed integer of 8 bits. */
export const i8 = integer('i8');
/** To a signed integer of 16 bits. */
export const i16 = integer('i16');
/** To a signed integer of 32 bits. */
export const i32 = integer('i32');
/** To a signed integer of 64 bits. */
export const i64 = integer('i64');
/** To an unsigned integer of 8 bits. */
export const u8 = integer('u8');
/** To an unsigned integer of 16 bits. */
export const u16 = integer('u16');
/** To an unsigned integer of 32 bits. */
export const u32 = integer('u32');
/** To an unsigned integer of 64 bits. */
export const u64 = integer('u64');

/** To single precision. */
export const f32 = cast(Math.fround);

/** To double precision. */
export const f64 = cast((x) => x);

/** Integer division, truncated; of a vector element by element. Throws `lang/idiv` on what is no integer, and on division by zero. */
export function idiv(a: number, b: number): number;
export function idiv(a: bigint, b: bigint): bigint;
export function idiv<N extends number>(a: Vec<N>, b: number): Vec<N>;
export function idiv(a: number | bigint | Vec, b: number | bigint): number | bigint | Vec {
  if (typeof b === 'bigint') return b === 0n ? dividedByZero(a) : (a as bigint) / b;
  if (typeof a === 'number') return quotient(a, b);
  const { shape, elements } = shapedOf(a as Vec);
  return hostValue({ shape, elements: elements.map((x) => quotient(x, b)) }) as Vec;
}

const quotient = (a: number, b: number): number => {
  for (const x of [a, b])
    if (!Number.isInteger(x)) fail('lang/idiv', `idiv is for integers, not for ${x}`, { remedy: 'use /, or i32(…)' });
  return b === 0 ? dividedByZero(a) : Math.trunc(a / b) + 0;
};

const dividedByZero = (a: unknown): never => fail('lang/idiv', `${String(a)} is divided by zero`);
