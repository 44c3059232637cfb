/** Points in [0, 1] and their weights, which sum to 1. */
export interface Quadrature {
  readonly points: readonly number[];
  readonly weights: readonly number[];
}

/** Gauss-Legendre: `n` points, exact up to degree 2n − 1. */
export const gaussLegendre = (n: number): Quadrature => {
  const points = Array.from({ length: n }, (_, i) =>
    newton(Math.cos((Math.PI * (i + 0.75)) / (n + 0.5)), (x) => {
      const { value, slope } = legendre(n, x);
      return value / slope;
    }),
  ).reverse();
  return {
    points: points.map((x) => (x + 1) / 2),
    weights: points.map((x) => 1 / ((1 - x * x) * legendre(n, x).slope ** 2)),
  };
};

/** The `n` ≥ 2 Gauss-Lobatto points, which include both ends of [0, 1]. */
export const gaussLobatto = (n: number): readonly number[] => {
  const inner = Array.from({ length: n - 2 }, (_, i) =>
    newton(-Math.cos((Math.PI * (i + 1)) / (n - 1)), (x) => {
      const { value, slope } = legendre(n - 1, x);
      // The points are the zeros of P′; P″ follows from Legendre's equation.
      return slope / ((2 * x * slope - n * (n - 1) * value) / (1 - x * x));
    }),
  );
  return [-1, ...inner, 1].map((x) => (x + 1) / 2);
};

/** Legendre's polynomial of degree `n` ≥ 1 and its slope at x in (−1, 1). */
const legendre = (n: number, x: number): { readonly value: number; readonly slope: number } => {
  let [before, value] = [1, x];
  for (let k = 2; k <= n; k++) [before, value] = [value, ((2 * k - 1) * x * value - (k - 1) * before) / k];
  return { value, slope: (n * (x * value - before)) / (x * x - 1) };
};

const newton = (start: number, step: (x: number) => number): number => {
  let x = start;
  for (let i = 0; i < 50; i++) {
    const by = step(x);
    x -= by;
    if (Math.abs(by) < 1e-15) break;
  }
  return x;
};
