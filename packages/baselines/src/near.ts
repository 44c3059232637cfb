/** Whether no value is further from what is expected than a share of the largest; where `pattern` is zero anything will do. */
export const near = (
  found: ArrayLike<number>,
  expected: Float64Array,
  tolerance: number,
  pattern?: Uint8Array,
): boolean => {
  const largest = expected.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  return expected.every((x, i) => pattern?.[i] === 0 || Math.abs(found[i] - x) <= tolerance * largest);
};
