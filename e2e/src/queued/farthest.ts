/** How far numbers are from those that are wanted, at most, relative to the largest of these, at least to one. */
export const farthest = (found: ArrayLike<number>, wanted: Float64Array): number => {
  let [most, off] = [1, 0];
  for (let k = 0; k < wanted.length; k++) {
    most = Math.max(most, Math.abs(wanted[k]));
    const apart = Math.abs(found[k] - wanted[k]);
    off = apart <= off ? off : apart;
  }
  return off / most;
};
