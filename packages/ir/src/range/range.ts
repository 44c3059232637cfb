import { byteSize, isInteger, scalarOf, type ScalarType, type Type } from '../kernel/type.js';

/**
 * What an integer may be: from `lo` to `hi`, and a multiple of the power of two `align`. Bounds are exact below 2⁵³; those of
 * 64-bit types beyond it are the type's own, rounded outwards.
 */
export interface IntegerRange {
  readonly lo: number;
  readonly hi: number;
  readonly align: number;
}

/** Integers and truth values, which count as 0 and 1; scalars only. */
export const hasRange = (type: Type): type is ScalarType =>
  typeof type === 'string' && (type === 'i1' || isInteger(type));

/** All values of a type. */
export const fullRange = (type: ScalarType): IntegerRange => {
  if (type === 'i1') return { lo: 0, hi: 1, align: 1 };
  const bits = 8 * byteSize(scalarOf(type));
  return type.startsWith('u')
    ? { lo: 0, hi: bits === 64 ? 2 ** 64 : 2 ** bits - 1, align: 1 }
    : { lo: -(2 ** (bits - 1)), hi: bits === 64 ? 2 ** 63 : 2 ** (bits - 1) - 1, align: 1 };
};

/** The multiples of `align` from `lo` to `hi`; all of the type where a bound leaves it, since the op may have wrapped then. */
export const rangeWrapped = (type: ScalarType, lo: number, hi: number, align = 1): IntegerRange =>
  fitsType(type, lo, hi)
    ? rangeBetween(type, lo, hi, align)
    : { ...fullRange(type), align: Math.min(align, modulus(type)) };

/** The multiples of `align` from `lo` to `hi` that are of the type, for ops that never wrap. */
export const rangeBetween = (type: ScalarType, lo: number, hi: number, align = 1): IntegerRange => {
  const full = fullRange(type);
  const [least, most] = [Math.max(lo, full.lo), Math.min(hi, full.hi)];
  const [from, to] =
    align === 1 ? [least, most] : [Math.ceil(least / align) * align + 0, Math.floor(most / align) * align + 0];
  return from <= to
    ? { lo: from, hi: to, align: from === to ? alignOf(from) : align }
    : { lo: least, hi: most, align: 1 };
};

export const rangeOfValue = (value: number): IntegerRange => ({ lo: value, hi: value, align: alignOf(value) });

/** Whether all numbers between the bounds are of the type, and the bounds are exact. */
export const fitsType = (type: ScalarType, lo: number, hi: number): boolean => {
  const full = fullRange(type);
  return lo >= full.lo && hi <= full.hi && lo >= -largest && hi <= largest;
};

/* One more may be the rounded result of a sum that is larger still. */
const largest = Number.MAX_SAFE_INTEGER;

/** The largest power of two that divides a number, 2⁵² at most. */
export const alignOf = (value: number): number => {
  if (value === 0) return 2 ** 52;
  let align = 1;
  for (let x = Math.abs(value); x % 2 === 0; x /= 2) align *= 2;
  return align;
};

const modulus = (type: ScalarType): number => 2 ** Math.min(52, 8 * byteSize(type));

/** Everything that is in one of the two. */
export const joinRanges = (a: IntegerRange, b: IntegerRange): IntegerRange => ({
  lo: Math.min(a.lo, b.lo),
  hi: Math.max(a.hi, b.hi),
  align: Math.min(a.align, b.align),
});

export const containsRange = (outer: IntegerRange, inner: IntegerRange): boolean =>
  outer.lo <= inner.lo && outer.hi >= inner.hi && outer.align <= inner.align;

/** What is in both; the first where they have nothing in common, since that place is never reached. */
export const meetRange = (a: IntegerRange, lo: number, hi: number): IntegerRange => {
  const [from, to] = [Math.max(a.lo, lo), Math.min(a.hi, hi)];
  return from <= to ? { lo: from, hi: to, align: a.align } : a;
};

export const isSingleRange = (r: IntegerRange): boolean => r.lo === r.hi;
