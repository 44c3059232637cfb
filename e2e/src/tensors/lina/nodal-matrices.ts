import type { TensorDecl } from '@filigree/tensor/einsum';
import { gaussLegendre, gaussLobatto } from '../quadrature.js';
import type { Matrices } from '../seissol/read-matrices.js';

/** Lagrange's basis at the Gauss-Lobatto points of [0, 1], and the matrices of a spectral element method in it (§5.2.1). */
export interface NodalBasis {
  readonly points: readonly number[];
  /** The values of all functions at x. */
  readonly at: (x: number) => Float64Array;
  /**
   * With ψ the basis, M its mass matrix, K = ∫ ψ_i′ ψ_j: `kDivM` = M⁻¹K and `kDivMT` = M⁻¹Kᵀ, these transposed as `kDivM'` and `kDivMT'`,
   * `F(σ)` = ψ at the low end (σ = 0) and the high end (1), and `FDivM(σ)` = M⁻¹F(σ).
   */
  readonly matrices: Matrices;
}

/** @param order of convergence, degree + 1, at least 2 */
export const nodalBasis = (order: number): NodalBasis => {
  const points = gaussLobatto(order);
  const weights = points.map(
    (x, i) => 1 / points.reduce((product, y, j) => (i === j ? product : product * (x - y) * 4), 1),
  );
  const at = (x: number): Float64Array => {
    const exact = points.indexOf(x);
    if (exact >= 0) return Float64Array.from(points, (_, i) => (i === exact ? 1 : 0));
    const terms = Float64Array.from(points, (y, i) => weights[i] / (x - y));
    const sum = terms.reduce((a, b) => a + b, 0);
    return terms.map((t) => t / sum);
  };
  // ψ_j′ at point i, by the barycentric formula; a row sums to zero.
  const slopes = points.map((x, i) => {
    const row = points.map((y, j) => (i === j ? 0 : weights[j] / weights[i] / (x - y)));
    row[i] = -row.reduce((a, b) => a + b, 0);
    return row;
  });
  const quadrature = gaussLegendre(order);
  const values = quadrature.points.map(at);
  const mass = square(order, (i, j) => values.reduce((sum, v, q) => sum + quadrature.weights[q] * v[i] * v[j], 0));
  const inverse = inverseOf(mass);
  // ∂ψ_j/∂x is itself a combination of the basis, hence M⁻¹Kᵀ is the matrix of slopes.
  const stiffness = square(order, (i, j) => slopes.reduce((sum, row, k) => sum + row[i] * mass[k][j], 0));
  const weak = square(order, (i, j) => inverse[i].reduce((sum, x, k) => sum + x * stiffness[k][j], 0));
  const end = (side: number): number => (side === 0 ? 0 : order - 1);
  const decls = [
    matrix('kDivM', order, (i, j) => weak[i][j]),
    matrix("kDivM'", order, (i, j) => weak[j][i]),
    matrix('kDivMT', order, (i, j) => slopes[i][j]),
    matrix("kDivMT'", order, (i, j) => slopes[j][i]),
    ...[0, 1].flatMap((side) => [
      vector(`F(${side})`, order, (i) => (i === end(side) ? 1 : 0)),
      vector(`FDivM(${side})`, order, (i) => inverse[i][end(side)]),
    ]),
  ];
  return { points, at, matrices: Object.fromEntries(decls.map((d) => [d.name, d])) };
};

const matrix = (name: string, n: number, entry: (i: number, j: number) => number): TensorDecl =>
  tensor(
    name,
    [n, n],
    Float64Array.from({ length: n * n }, (_, at) => entry(at % n, Math.floor(at / n))),
  );

const vector = (name: string, n: number, entry: (i: number) => number): TensorDecl =>
  tensor(
    name,
    [n],
    Float64Array.from({ length: n }, (_, i) => entry(i)),
  );

const tensor = (name: string, shape: readonly number[], values: Float64Array): TensorDecl => ({
  name,
  shape,
  pattern: { shape, bits: Uint8Array.from(values, (x) => (x === 0 ? 0 : 1)) },
  values,
});

const square = (n: number, entry: (i: number, j: number) => number): number[][] =>
  Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => entry(i, j)));

/** By Gauss and Jordan, without a choice of pivots, as mass matrices are positive definite. */
const inverseOf = (matrix: readonly (readonly number[])[]): number[][] => {
  const n = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...row.map((_, j) => (i === j ? 1 : 0))]);
  for (let k = 0; k < n; k++) {
    const pivot = rows[k][k];
    rows[k] = rows[k].map((x) => x / pivot);
    for (let i = 0; i < n; i++) {
      if (i === k) continue;
      const factor = rows[i][k];
      rows[i] = rows[i].map((x, j) => x - factor * rows[k][j]);
    }
  }
  return rows.map((row) => row.slice(n));
};
