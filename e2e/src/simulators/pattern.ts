/**
 * A pattern with sharp edges on the unit square, 0 outside and 1 within: a ring, and in it a disc that is halved by a wave, with an eye of
 * the other half in each.
 */
export const pattern = (x: number, y: number): number => {
  const [u, v] = [x - 0.5, y - 0.5];
  const r = Math.hypot(u, v);
  if (r > 0.4) return 0;
  if (r > 0.36) return 1;
  const [above, below] = [Math.hypot(u, v - 0.18), Math.hypot(u, v + 0.18)];
  if (above < 0.06) return 1;
  if (below < 0.06) return 0;
  if (above < 0.18) return 0;
  if (below < 0.18) return 1;
  return u > 0 ? 1 : 0;
};
