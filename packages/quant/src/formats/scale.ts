import type { ScalarType } from '@filigree/ir';

/** How values of a type count as steps of a fixed-point format. */
export interface Scale {
  readonly type: ScalarType;
  readonly bits: number;
  /** The range as a number of the type. */
  readonly range: number;
  /** The least and the most steps. */
  readonly least: number;
  readonly most: number;
  /** The distance of two codes. */
  readonly step: number;
  /** All codes: so many steps are none to what adds them up modulo 2ᵇⁱᵗˢ. */
  readonly turn: number;
  /**
   * Halves of a step in 1, rounded up where no f64 is it: then a value in the middle between two codes, which is an odd number of
   * halves, never comes out below it.
   */
  readonly perHalf: number;
  /**
   * Steps in 1 where no f64 is it and integers need not decide: so much more than it that the product with a number in the middle between two codes comes out above
   * it when it is rounded, and so little that one below, of 24 bits as the step, stays below: they are apart by 2⁻⁴⁹ at least.
   */
  readonly perStepUp: number | undefined;
  /** Whether f32 is precise enough to store: then each product is exact. */
  readonly narrow: boolean;
  /** Whether it is to load: codes and step are numbers of it, so that their product is rounded once, as that of f64 is. */
  readonly exactInF32: boolean;
  /** Whether the product with `perHalf` could fall on the wrong side of the middle between two codes, so that integers decide. */
  readonly exact: boolean;
  /** The ends of the range where products decide, so that what is cut to them is on the right side of both; where integers decide there are none. */
  readonly ends: Ends | undefined;
}

/** Numbers that are stored as the lowest and the highest code, such that none beyond would be stored otherwise, of f32 if it has them. */
export interface Ends {
  readonly type: 'f32' | 'f64';
  readonly low: number;
  readonly high: number;
}

/** The scale of a format for a type. */
export const scaleOf = (bits: number, range: number, signed: boolean, type: ScalarType): Scale => {
  const held = type === 'f32' ? Math.fround(range) : range;
  const codes = 2 ** bits;
  const step = held / (signed ? codes / 2 : codes);
  const power = isPowerOfTwo(held);
  const [least, most] = signed ? [-codes / 2, codes / 2 - 1] : [0, codes - 1];
  const perHalf = power ? 2 / step : next(2 / step);
  const exact = !power && (type === 'f64' || bits > 24);
  return {
    type,
    bits,
    range: held,
    least,
    most,
    step,
    turn: codes * step,
    perHalf,
    perStepUp: power || exact ? undefined : next(next(next(1 / step))),
    narrow: type === 'f32' && power && bits <= 24,
    exactInF32: type === 'f32' && bits <= 24,
    exact,
    ends: exact
      ? undefined
      : ((type === 'f32' ? endsIn('f32', least, most, perHalf) : undefined) ?? endsIn('f64', least, most, perHalf)),
  };
};

const endsIn = (type: Ends['type'], least: number, most: number, perHalf: number): Ends | undefined => {
  const [low, high] = [least, most].map((steps) => endAt(type, 2 * steps, perHalf));
  return low === undefined || high === undefined ? undefined : { type, low, high };
};

/** A number of a type that counts as so many halves when it is cut off towards zero. */
const endAt = (type: Ends['type'], halves: number, perHalf: number): number | undefined => {
  const near = Math.abs(halves / perHalf);
  const magnitudes = type === 'f32' ? [Math.fround(near), Math.fround(near * (1 + 2 ** -23))] : [near, next(near)];
  const found = magnitudes.find((x) => Math.trunc(x * perHalf) === Math.abs(halves));
  return found === undefined ? undefined : Math.sign(halves) * found + 0;
};

/** Whether a positive f64 is a power of two. Subnormal ones do not count. */
export const isPowerOfTwo = (x: number): boolean => {
  view.setFloat64(0, x);
  return (view.getBigUint64(0) & 0xf_ffff_ffff_ffffn) === 0n;
};

/** The next larger of the positive numbers. */
const next = (x: number): number => {
  view.setFloat64(0, x);
  view.setBigUint64(0, view.getBigUint64(0) + 1n);
  return view.getFloat64(0);
};

const view = new DataView(new ArrayBuffer(8));
