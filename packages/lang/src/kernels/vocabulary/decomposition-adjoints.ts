import { inlined } from './inline.js';
import type { Mat, Vec } from './vec-types.js';
import { mat, vec } from './vec.js';

/*
 * Adjoints of decompositions, as kernels inline them. Of A = R S with R a rotation, Rᵀ dR solves Ω S + S Ω = 2 skew(Rᵀ dA), which is regular
 * wherever the nearest rotation is unique, so at the identity too. Of A = U Σ Vᵀ, U and V turn by what is divided by differences and sums of
 * singular values: where two are equal, they may turn within a plane by any angle. What a function such as U g(Σ) Vᵀ makes of that is g′ all the same, as the limit of differences
 * of g by differences of singular values; so these are told apart by the root of the rounding error (`apart`), where half of the digits are left of both.
 */
const vectorOfNumbers = vec;
const matrixOfNumbers = mat;
const basics = { vectorOfNumbers, matrixOfNumbers };

/** a / b, and 0 where b is. */
const quotient = inlined((a: number, b: number): number => (b === 0 ? 0 : a / (b === 0 ? 1 : b)), basics);

/** The adjoint of A from that of the rotation R nearest to it; S = RᵀA. */
export const rotationAdjoint2 = inlined(
  (R: Mat<2, 2>, S: Mat<2, 2>, G: Mat<2, 2>): Mat<2, 2> => {
    const W = R.transpose().mul(G);
    const c = quotient(W[1][0] - W[0][1], S[0][0] + S[1][1]);
    return R.mul(matrixOfNumbers([0, -c], [c, 0]));
  },
  { ...basics, quotient },
);

/** As `rotationAdjoint2`, of 3×3 matrices. */
export const rotationAdjoint3 = inlined((R: Mat<3, 3>, S: Mat<3, 3>, G: Mat<3, 3>): Mat<3, 3> => {
  const W = R.transpose().mul(G);
  const trace = S[0][0] + S[1][1] + S[2][2];
  const K = matrixOfNumbers(
    [trace - S[0][0], -S[0][1], -S[0][2]],
    [-S[1][0], trace - S[1][1], -S[1][2]],
    [-S[2][0], -S[2][1], trace - S[2][2]],
  );
  const c = K.inverse().mul(vectorOfNumbers(W[2][1] - W[1][2], W[0][2] - W[2][0], W[1][0] - W[0][1]));
  return R.mul(matrixOfNumbers([0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]));
}, basics);

/** As these, of matrices of either size. */
export const rotationAdjoint = inlined(
  <N extends number>(R: Mat<N, N>, S: Mat<N, N>, G: Mat<N, N>): Mat<N, N> =>
    R.length === 2
      ? (rotationAdjoint2(R as never, S as never, G as never) as unknown as Mat<N, N>)
      : (rotationAdjoint3(R as never, S as never, G as never) as unknown as Mat<N, N>),
  { rotationAdjoint2, rotationAdjoint3 },
);

/** Half of the digits that f64 has, and that f32 has. In f32 the square of TINY is 0. */
const [APART, APART_IN_F32, TINY] = [2 ** -26, 2 ** -11.5, 1e-25];

/** By how much values are told apart of which the largest is known. */
const distance = inlined(
  (largest: number): number => {
    const unit = largest > 0 ? largest : 1;
    const one = unit / unit;
    return unit * (one * TINY * TINY > 0 ? APART : APART_IN_F32);
  },
  { APART, APART_IN_F32, TINY },
);

/** A singular value decomposition whose singular values differ in size. */
export const svdApart2 = inlined(
  ([U, sigma, V]: [U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>]): [U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>] => [
    U,
    vectorOfNumbers(Math.max(sigma[0], Math.abs(sigma[1]) + distance(sigma[0])), sigma[1]),
    V,
  ],
  { ...basics, distance },
);

/** As `svdApart2`, of 3×3 matrices. */
export const svdApart3 = inlined(
  ([U, sigma, V]: [U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>]): [U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>] => {
    const d = distance(sigma[0]);
    const second = Math.max(sigma[1], Math.abs(sigma[2]) + d);
    return [U, vectorOfNumbers(Math.max(sigma[0], second + d), second, sigma[2]), V];
  },
  { ...basics, distance },
);

/** Eigenvalues that differ, with their vectors. */
export const eigApart2 = inlined(
  ([lambda, V]: [lambda: Vec<2>, V: Mat<2, 2>]): [lambda: Vec<2>, V: Mat<2, 2>] => [
    vectorOfNumbers(Math.max(lambda[0], lambda[1] + distance(Math.max(lambda[0], -lambda[1]))), lambda[1]),
    V,
  ],
  { ...basics, distance },
);

/** As `eigApart2`, of 3×3 matrices. */
export const eigApart3 = inlined(
  ([lambda, V]: [lambda: Vec<3>, V: Mat<3, 3>]): [lambda: Vec<3>, V: Mat<3, 3>] => {
    const d = distance(Math.max(lambda[0], -lambda[2]));
    const second = Math.max(lambda[1], lambda[2] + d);
    return [vectorOfNumbers(Math.max(lambda[0], second + d), second, lambda[2]), V];
  },
  { ...basics, distance },
);

/** Two entries that mirror each other, of the adjoint of UᵀAV: from how much U and V are asked to turn, and their singular values. */
const turning = inlined((u: number, v: number, p: number, q: number): Vec<2> => {
  const both = (u + v) / (2 * (q - p));
  const against = (u - v) / (2 * (q + p));
  return vectorOfNumbers(both + against, both - against);
}, basics);

/** The adjoint of a 2×2 matrix from those of its singular value decomposition. */
export const svdAdjoint2 = inlined(
  (U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>, byU: Mat<2, 2>, bySigma: Vec<2>, byV: Mat<2, 2>): Mat<2, 2> => {
    const P = U.transpose().mul(byU);
    const Q = V.transpose().mul(byV);
    const m = turning(P[0][1] - P[1][0], Q[0][1] - Q[1][0], sigma[0], sigma[1]);
    return U.mul(matrixOfNumbers([bySigma[0], m[0]], [m[1], bySigma[1]])).mul(V.transpose());
  },
  { ...basics, turning },
);

/** As `svdAdjoint2`, of 3×3 matrices. */
export const svdAdjoint3 = inlined(
  (U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>, byU: Mat<3, 3>, bySigma: Vec<3>, byV: Mat<3, 3>): Mat<3, 3> => {
    const P = U.transpose().mul(byU);
    const Q = V.transpose().mul(byV);
    const a = turning(P[0][1] - P[1][0], Q[0][1] - Q[1][0], sigma[0], sigma[1]);
    const b = turning(P[0][2] - P[2][0], Q[0][2] - Q[2][0], sigma[0], sigma[2]);
    const c = turning(P[1][2] - P[2][1], Q[1][2] - Q[2][1], sigma[1], sigma[2]);
    const M = matrixOfNumbers([bySigma[0], a[0], b[0]], [a[1], bySigma[1], c[0]], [b[1], c[1], bySigma[2]]);
    return U.mul(M).mul(V.transpose());
  },
  { ...basics, turning },
);

/** The adjoint of a symmetric 2×2 matrix, itself symmetric, from those of its eigenvalues and eigenvectors. */
export const eigAdjoint2 = inlined((lambda: Vec<2>, V: Mat<2, 2>, byLambda: Vec<2>, byV: Mat<2, 2>): Mat<2, 2> => {
  const W = V.transpose().mul(byV);
  const m = (W[0][1] - W[1][0]) / (2 * (lambda[1] - lambda[0]));
  return V.mul(matrixOfNumbers([byLambda[0], m], [m, byLambda[1]])).mul(V.transpose());
}, basics);

/** As `eigAdjoint2`, of 3×3 matrices. */
export const eigAdjoint3 = inlined((lambda: Vec<3>, V: Mat<3, 3>, byLambda: Vec<3>, byV: Mat<3, 3>): Mat<3, 3> => {
  const W = V.transpose().mul(byV);
  const a = (W[0][1] - W[1][0]) / (2 * (lambda[1] - lambda[0]));
  const b = (W[0][2] - W[2][0]) / (2 * (lambda[2] - lambda[0]));
  const c = (W[1][2] - W[2][1]) / (2 * (lambda[2] - lambda[1]));
  const M = matrixOfNumbers([byLambda[0], a, b], [a, byLambda[1], c], [b, c, byLambda[2]]);
  return V.mul(M).mul(V.transpose());
}, basics);
