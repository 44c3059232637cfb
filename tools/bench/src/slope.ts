/** The slope of the line with the least squares. */
export const slopeOf = (points: readonly (readonly [number, number])[]): number => {
  const mean = (k: 0 | 1): number => points.reduce((s, p) => s + p[k], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const [xy, xx] = points.reduce(([a, b], p) => [a + (p[0] - x) * (p[1] - y), b + (p[0] - x) ** 2], [0, 0]);
  return xx === 0 ? 0 : xy / xx;
};
