/** max |found − expected| over max |expected|; infinite if a value is not finite or the lengths differ. */
export const maxRelError = (found: ArrayLike<number>, expected: ArrayLike<number>): number => {
  if (found.length !== expected.length) return Infinity;
  let difference = 0;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    if (!Number.isFinite(found[i])) return Infinity;
    difference = Math.max(difference, Math.abs(found[i] - expected[i]));
    scale = Math.max(scale, Math.abs(expected[i]));
  }
  return difference === 0 ? 0 : scale > 0 ? difference / scale : Infinity;
};
