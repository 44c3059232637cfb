import { fail } from '@filigree/ir';
import type { Mat, Vec } from './vec-types.js';
import { hostValue, shapedOf } from './vec.js';

/** A conversion to a scalar type; of vectors and matrices element by element. */
export interface Cast {
  (x: number | boolean): number;
  <N extends number>(x: Vec<N>): Vec<N>;
  <R extends number, C extends number>(x: Mat<R, C>): Mat<R, C>;
}

const cast = (convert: (x: number) => number): Cast =>
  ((x: unknown) => {
    if (typeof x === 'boolean') return x ? 1 : 0;
    const { shape, elements } = shapedOf(x);
    return hostValue({ shape, elements: elements.map(convert) });
  }) as Cast;

/** Truncated; beyond the ends of the type the nearest end; NaN is 0. */
const integer = (least: number, greatest: number): Cast =>
  cast((x) => (Number.isNaN(x) ? 0 : Math.min(greatest, Math.max(least, Math.trunc(x))) + 0));

/*
 * To integers: truncated, the nearest end of the type where out of range, 0 for NaN. On the host every integer is a plain
 * number, so i64 and u64 are exact up to 2⁵³, and an integer that is out of range goes to the nearest end where in a kernel
 * it wraps.
 */
/** To a signed integer of 8 bits. */
export const i8 = integer(-(2 ** 7), 2 ** 7 - 1);
/** To a signed integer of 16 bits. */
export const i16 = integer(-(2 ** 15), 2 ** 15 - 1);
/** To a signed integer of 32 bits. */
export const i32 = integer(-(2 ** 31), 2 ** 31 - 1);
/** To a signed integer of 64 bits. */
export const i64 = integer(-(2 ** 63), 2 ** 63);
/** To an unsigned integer of 8 bits. */
export const u8 = integer(0, 2 ** 8 - 1);
/** To an unsigned integer of 16 bits. */
export const u16 = integer(0, 2 ** 16 - 1);
/** To an unsigned integer of 32 bits. */
export const u32 = integer(0, 2 ** 32 - 1);
/** To an unsigned integer of 64 bits. */
export const u64 = integer(0, 2 ** 64);

/** To single precision. */
export const f32 = cast(Math.fround);

/** To double precision. */
export const f64 = cast((x) => x);

/** Integer division, truncated; of a vector element by element. Throws `lang/idiv` on what is no integer, and on division by zero. */
export function idiv(a: number, b: number): number;
export function idiv<N extends number>(a: Vec<N>, b: number): Vec<N>;
export function idiv(a: number | Vec, b: number): number | Vec {
  if (typeof a === 'number') return quotient(a, b);
  const { shape, elements } = shapedOf(a);
  return hostValue({ shape, elements: elements.map((x) => quotient(x, b)) }) as Vec;
}

const quotient = (a: number, b: number): number => {
  for (const x of [a, b])
    if (!Number.isInteger(x)) fail('lang/idiv', `idiv is for integers, not for ${x}`, { remedy: 'use /, or i32(…)' });
  return b === 0 ? fail('lang/idiv', `${a} is divided by zero`) : Math.trunc(a / b) + 0;
};
