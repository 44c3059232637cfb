/** How far a result is from what is expected. */
export interface Check {
  /** Largest difference, relative to the largest value expected; null where it is not finite. */
  readonly maxRelError: number | null;
  readonly passed: boolean;
  readonly tolerance: number;
}

/** Largest error accepted, relative to the largest value of the result. */
export const TOLERANCE = { f32: 1e-4, f64: 1e-10 } as const;

/** Compares values with those expected. */
export const compare = (found: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): Check => {
  let difference = found.length === expected.length ? 0 : Infinity;
  let largest = 0;
  for (let i = 0; i < expected.length; i++) {
    const d = Math.abs(found[i] - expected[i]);
    /* NaN too is a difference, unless both sides are the same infinity. */
    difference = d <= difference || Object.is(found[i], expected[i]) ? difference : Number.isNaN(d) ? Infinity : d;
    if (Number.isFinite(expected[i])) largest = Math.max(largest, Math.abs(expected[i]));
  }
  const maxRelError = difference === 0 ? 0 : difference / largest;
  return {
    maxRelError: Number.isFinite(maxRelError) ? maxRelError : null,
    passed: maxRelError <= tolerance,
    tolerance,
  };
};
