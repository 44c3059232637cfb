import { linear, plus, power, times, type Polynomial } from './polynomial.js';

/**
 * Dubiner's basis of the polynomials of degree < `order` on the reference simplex with corners 0 and the unit vectors: (N+3 choose 3)
 * functions on the tetrahedron, (N+2 choose 2) on the triangle, orthogonal, by degree and within a degree as SeisSol numbers them.
 *
 * @param coordinates two or three polynomials to put in place of the coordinates: the variables themselves, or where a face lies
 */
export const dubinerBasis = (order: number, coordinates: readonly Polynomial[]): Polynomial[] => {
  const [x, y, z] = [coordinates[0], coordinates[1], coordinates[2] ?? linear(0)];
  const one = linear(1);
  const belowZ = plus(one, z, -1n);
  const belowYZ = plus(belowZ, y, -1n);
  const basis: Polynomial[] = [];
  for (let degree = 0; degree < order; degree++)
    for (let k = 0; k <= (coordinates.length > 2 ? degree : 0); k++)
      for (let j = 0; j <= degree - k; j++) {
        const i = degree - k - j;
        const inPlane = times(jacobi(i, 0, x, belowYZ), jacobi(j, 2 * i + 1, y, belowZ));
        basis.push(times(inPlane, jacobi(k, 2 * (i + j) + 2, z, one)));
      }
  return basis;
};

/** y^n P_n^(a,0)(2x/y − 1), with P Jacobi's polynomial: homogeneous, so that nothing is divided where the simplex collapses. */
const jacobi = (n: number, a: number, x: Polynomial, y: Polynomial): Polynomial => {
  const difference = plus(x, y, -1n);
  let sum: Polynomial = new Map();
  for (let s = 0; s <= n; s++)
    sum = plus(sum, times(power(difference, s), power(x, n - s)), binomial(n + a, n - s) * binomial(n, s));
  return sum;
};

const binomial = (n: number, k: number): bigint => {
  let result = 1n;
  for (let i = 1; i <= k; i++) result = (result * BigInt(n - k + i)) / BigInt(i);
  return result;
};
