import type { TensorDecl } from '@filigree/tensor/einsum';
import { dubinerBasis } from './dubiner.js';
import { derivative, exponentOf, linear, type Polynomial } from './polynomial.js';
import type { Matrices } from './read-matrices.js';

/**
 * The matrices of an ADER-DG scheme on the reference tetrahedron (§5.1.1), named and signed as in SeisSol's files, with φ Dubiner's
 * basis of the tetrahedron, ψ that of the triangle, M and m their (diagonal) mass matrices:
 *
 * - `kDivM(c)` = M⁻¹ ∫ ∂φ_k/∂ξ_c φ_l and `kDivMT(c)` = M⁻¹ ∫ φ_k ∂φ_l/∂ξ_c,
 * - `rT(σ)` = m⁻¹ ∫_σ ψ_m φ_l, `fMrT(σ)` = ∫_σ ψ_m φ_l and `rDivM(σ)` = M⁻¹ rT(σ)ᵀ for side σ,
 * - `fP(h)` = ∫ ψ_m ψ_n(as the neighbour sees the point, of whose side the h-th corner is the first of ours).
 *
 * The integrals are computed in whole numbers, so that a zero is a zero.
 *
 * @param order of convergence, degree + 1, from 1 to 8
 */
export const dubinerMatrices = (order: number): Matrices => {
  const tet = dubinerBasis(order, VARIABLES);
  const triangle = dubinerBasis(order, VARIABLES.slice(0, 2));
  const inTet = integrator(3, 2 * order);
  const inTriangle = integrator(2, 2 * order);
  const tetMass = inTet.diagonal(tet);
  const triangleMass = inTriangle.diagonal(triangle);

  const all: TensorDecl[] = [];
  for (let c = 0; c < 3; c++) {
    // ∫ φ_k ∂φ_l/∂ξ_c.
    const products = inTet.products(
      tet,
      tet.map((p) => derivative(p, c)),
    );
    const [rows, size] = [tet.length, tet.length];
    all.push(matrix(`kDivM(${c})`, rows, size, (k, l) => [products[l][k], tetMass[k]]));
    all.push(matrix(`kDivMT(${c})`, rows, size, (k, l) => [products[k][l], tetMass[k]]));
  }
  SIDES.forEach((place, side) => {
    const products = inTriangle.products(triangle, dubinerBasis(order, place));
    const [rows, size] = [triangle.length, tet.length];
    all.push(matrix(`rT(${side})`, rows, size, (m, l) => [products[m][l], triangleMass[m]]));
    all.push(matrix(`fMrT(${side})`, rows, size, (m, l) => [products[m][l], inTriangle.scale]));
    all.push(
      matrix(`rDivM(${side})`, size, rows, (k, m) => [products[m][k] * inTet.scale, triangleMass[m] * tetMass[k]]),
    );
  });
  TURNS.forEach((place, turn) => {
    const products = inTriangle.products(triangle, dubinerBasis(order, place));
    const size = triangle.length;
    all.push(matrix(`fP(${turn})`, size, size, (m, n) => [products[m][n], inTriangle.scale]));
  });
  return Object.fromEntries(all.map((m) => [m.name, m]));
};

const VARIABLES = [linear(0, 1), linear(0, 0, 1), linear(0, 0, 0, 1)];

/** Where (χ, τ) of a side lies in the tetrahedron; see `SIDE_CORNERS`. */
const SIDES = [
  [linear(0, 0, 1), linear(0, 1), linear(0)],
  [linear(0, 1), linear(0), linear(0, 0, 1)],
  [linear(0), linear(0, 0, 1), linear(0, 1)],
  [linear(1, -1, -1), linear(0, 1), linear(0, 0, 1)],
];

/** (χ, τ) of a point as the neighbour has it, which sees the side from behind. */
const TURNS = [
  [linear(0, 0, 1), linear(0, 1)],
  [linear(1, -1, -1), linear(0, 0, 1)],
  [linear(0, 1), linear(1, -1, -1)],
];

/** Integrals over the reference simplex of `dimensions`, times `scale`, which makes whole numbers of them all. */
const integrator = (dimensions: number, degree: number) => {
  const scale = factorial(degree + dimensions);
  const cache = new Map<number, bigint>();
  /** ∫ x^i y^j z^k = i! j! k! / (i + j + k + d)!. */
  const monomial = (key: number): bigint => {
    const known = cache.get(key);
    if (known !== undefined) return known;
    let [numerator, sum] = [scale, dimensions];
    for (let d = 0; d < dimensions; d++) {
      const exponent = exponentOf(key, d);
      numerator *= factorial(exponent);
      sum += exponent;
    }
    const value = numerator / factorial(sum);
    cache.set(key, value);
    return value;
  };
  const moments = (p: Polynomial, q: Iterable<number>): Map<number, bigint> => {
    const result = new Map<number, bigint>();
    for (const key of q) {
      let sum = 0n;
      for (const [k, c] of p) sum += c * monomial(k + key);
      result.set(key, sum);
    }
    return result;
  };
  const dot = (weights: ReadonlyMap<number, bigint>, q: Polynomial): bigint => {
    let sum = 0n;
    for (const [key, c] of q) sum += c * (weights.get(key) ?? 0n);
    return sum;
  };
  return {
    scale,
    /** ∫ p_k q_l for all k and l. */
    products: (ps: readonly Polynomial[], qs: readonly Polynomial[]): bigint[][] => {
      const keys = new Set(qs.flatMap((q) => [...q.keys()]));
      return ps.map((p) => {
        const weights = moments(p, keys);
        return qs.map((q) => dot(weights, q));
      });
    },
    /** ∫ p_k². */
    diagonal: (ps: readonly Polynomial[]): bigint[] => ps.map((p) => dot(moments(p, p.keys()), p)),
  };
};

const matrix = (
  name: string,
  rows: number,
  columns: number,
  entry: (row: number, column: number) => readonly [numerator: bigint, denominator: bigint],
): TensorDecl => {
  const shape = [rows, columns];
  const bits = new Uint8Array(rows * columns);
  const values = new Float64Array(rows * columns);
  for (let j = 0; j < columns; j++)
    for (let i = 0; i < rows; i++) {
      const [numerator, denominator] = entry(i, j);
      if (numerator === 0n) continue;
      bits[i + rows * j] = 1;
      values[i + rows * j] = Number(numerator) / Number(denominator);
    }
  return { name, shape, pattern: { shape, bits }, values };
};

const factorial = (n: number): bigint => (n < 2 ? 1n : BigInt(n) * factorial(n - 1));
