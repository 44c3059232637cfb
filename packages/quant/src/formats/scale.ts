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
  /**
   * Halves of a step in 1, rounded up where no f64 is it: then a value in the middle between two codes, which is an odd number of
   * halves, never comes out below it.
   */
  readonly perHalf: number;
  /** Whether f32 is precise enough to store: then each product is exact. */
  readonly narrow: boolean;
  /** Whether it is to load: codes and step are numbers of it, so that their product is rounded once, as that of f64 is. */
  readonly exactInF32: boolean;
  /** Whether the product with `perHalf` could fall on the wrong side of the middle between two codes, so that integers decide. */
  readonly exact: boolean;
}

/** The scale of a format for a type. */
export const scaleOf = (bits: number, range: number, signed: boolean, type: ScalarType): Scale => {
  const held = type === 'f32' ? Math.fround(range) : range;
  const codes = 2 ** bits;
  const step = held / (signed ? codes / 2 : codes);
  const power = isPowerOfTwo(held);
  return {
    type,
    bits,
    range: held,
    least: signed ? -codes / 2 : 0,
    most: signed ? codes / 2 - 1 : codes - 1,
    step,
    perHalf: power ? 2 / step : next(2 / step),
    narrow: type === 'f32' && power && bits <= 24,
    exactInF32: type === 'f32' && bits <= 24,
    exact: !power && (type === 'f64' || bits > 24),
  };
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
