import {
  eigAdjoint2,
  eigAdjoint3,
  eigApart2,
  eigApart3,
  rotationAdjoint2,
  rotationAdjoint3,
  svdAdjoint2,
  svdAdjoint3,
  svdApart2,
  svdApart3,
} from './decomposition-adjoints.js';
import { inlined, libraryFunction } from './inline.js';
import type { Mat, Vec } from './vec-types.js';
import { columns, mat, vec } from './vec.js';
import { withGradient } from './with-gradient.js';

/*
 * Functions of the kernel language, inlined where kernels call them: a fixed number of steps, and no branch that is not a
 * choice between two values. The compiler reads them from their text, where bundlers and test runners rewrite the names
 * of imports; so what they use is bound here, to names that nothing else in this package has.
 */
const vectorOf = vec;
const matrixOfRows = mat;
const matrixOfColumns = columns;

/** Small beside entries scaled to 1, and normal numbers in f32; of SMALL_LENGTH even the square. */
const TINY_DIVISOR = 1e-30;
/** Of all below the limit the reciprocal may be infinite in f32; times this they are normal numbers. */
const TINY_ENTRY = 1e-30;
const LIFT = 1e30;
const SMALL_LENGTH = 1e-18;
/** Sweeps of Jacobi rotations after which three columns are orthogonal in f64, whatever they were. */
const JACOBI_SWEEPS = 4;

const basics = { TINY_DIVISOR, SMALL_LENGTH, JACOBI_SWEEPS, vectorOf, matrixOfRows, matrixOfColumns };

/**
 * A matrix whose largest entry is 1, so that squares stay in the range of f32, and two numbers that bring it back, one after
 * the other. Zeros stay zeros. Tiny entries are lifted first: to divide by a subnormal number may be to multiply by infinity.
 */
const normalised = inlined(
  <N extends number>(A: Mat<N, N>): [B: Mat<N, N>, scales: Vec<2>] => {
    const largest = A.abs().greatest();
    const tiny = largest < TINY_ENTRY;
    const liftedLargest = tiny ? largest * LIFT : largest;
    const scale = liftedLargest > 0 ? liftedLargest : 1;
    return [(tiny ? A.mul(LIFT) : A).div(scale), vectorOf(scale, tiny ? 1 / LIFT : 1)];
  },
  { TINY_ENTRY, LIFT, vectorOf },
);

/** Two columns, or rows, turned: p c − q s and p s + q c. */
const turned = inlined(
  <N extends number>(p: Vec<N>, q: Vec<N>, r: Vec<2>): Mat<2, N> =>
    matrixOfRows(p.mul(r.x).sub(q.mul(r.y)), p.mul(r.y).add(q.mul(r.x))),
  basics,
);

/** Cosine and sine of the lesser rotation of columns p and q after which they are orthogonal. */
const jacobiRotation = inlined(<N extends number>(p: Vec<N>, q: Vec<N>): Vec<2> => {
  const d = q.dot(q) - p.dot(p);
  const h = 2 * p.dot(q);
  // The smaller root of t² + (2d/h)t − 1; the tiny number keeps 0/0 away where there is nothing to rotate.
  const t = (d < 0 ? -h : h) / (Math.abs(d) + Math.sqrt(d * d + h * h) + TINY_DIVISOR);
  const c = 1 / Math.sqrt(1 + t * t);
  return vectorOf(c, t * c);
}, basics);

/** Cosine and sine of the rotation of two rows after which `b` is 0 and `a` is not negative. */
const givensRotation = inlined((a: number, b: number): Vec<2> => {
  const length = Math.sqrt(a * a + b * b);
  // Below the limit there is nothing to rotate, and in f32 the squares above would no longer be normal numbers.
  const divisor = length > SMALL_LENGTH ? length : 1;
  return vectorOf(length > SMALL_LENGTH ? a / divisor : 1, length > SMALL_LENGTH ? -b / divisor : 0);
}, basics);

/** Columns p and q with the longer first; one is negated, so that what is turned along with them stays a rotation. */
const longerFirst = inlined(
  <N extends number>(p: Vec<N>, q: Vec<N>, exchange: boolean): Mat<2, N> =>
    matrixOfRows(exchange ? q : p, exchange ? p.neg() : q),
  basics,
);

/**
 * The singular value decomposition A = U diag(σ) Vᵀ of a 2×2 matrix, `const [U, sigma, V] = svd2(A)`. U and V are rotations,
 * σ₀ ≥ |σ₁|, and σ₁ is negative where A reflects. Singular matrices have one too. One Jacobi rotation gives V, one
 * Givens rotation U.
 */
export const svd2 = libraryFunction(
  'svd2',
  withGradient(
    inlined(
      (A: Mat<2, 2>): [U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>] => {
        const [normal, scales] = normalised(A);
        const columnsOfA = normal.transpose();
        const j = jacobiRotation(columnsOfA[0], columnsOfA[1]);
        const b = turned(columnsOfA[0], columnsOfA[1], j);
        const v = turned(vectorOf(1, 0), vectorOf(0, 1), j);
        const exchange = b[0].normSquared() < b[1].normSquared();
        const B = longerFirst(b[0], b[1], exchange).transpose();
        const V = longerFirst(v[0], v[1], exchange).transpose();
        const g = givensRotation(B[0][0], B[1][0]);
        const R = turned(B[0], B[1], g);
        const U = turned(vectorOf(1, 0), vectorOf(0, 1), g).transpose();
        return [U, vectorOf(R[0][0], R[1][1]).mul(scales.x).mul(scales.y), V];
      },
      { ...basics, normalised, turned, jacobiRotation, givensRotation, longerFirst },
    ),
    inlined(
      (
        _A: Mat<2, 2>,
        [U, sigma, V]: [U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>],
        [byU, bySigma, byV]: [U: Mat<2, 2>, sigma: Vec<2>, V: Mat<2, 2>],
      ): Mat<2, 2> => svdAdjoint2(U, sigma, V, byU, bySigma, byV),
      { svdAdjoint2 },
    ),
    svdApart2,
  ),
);

/**
 * The singular value decomposition A = U diag(σ) Vᵀ of a 3×3 matrix, `const [U, sigma, V] = svd3(A)`. U and V are rotations,
 * σ₀ ≥ σ₁ ≥ |σ₂| up to rounding, σ₁ ≥ 0, and σ₂ is negative where A reflects. Singular matrices have one too. Jacobi rotations of the
 * columns of A give V, Givens rotations of A V give U (after McAdams, Selle, Tamstorf, Teran, Sifakis 2011, with the
 * columns themselves in place of AᵀA, whose condition is the square).
 */
export const svd3 = libraryFunction(
  'svd3',
  withGradient(
    inlined(
      (A: Mat<3, 3>): [U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>] => {
        const [normal, scales] = normalised(A);
        const columnsOfA = normal.transpose();
        let b0 = columnsOfA[0];
        let b1 = columnsOfA[1];
        let b2 = columnsOfA[2];
        let v0 = vectorOf(1, 0, 0);
        let v1 = vectorOf(0, 1, 0);
        let v2 = vectorOf(0, 0, 1);
        for (let sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
          const r = jacobiRotation(b0, b1);
          const br = turned(b0, b1, r);
          const vr = turned(v0, v1, r);
          const s = jacobiRotation(br[0], b2);
          const bs = turned(br[0], b2, s);
          const vs = turned(vr[0], v2, s);
          const t = jacobiRotation(br[1], bs[1]);
          const bt = turned(br[1], bs[1], t);
          const vt = turned(vr[1], vs[1], t);
          b0 = bs[0];
          b1 = bt[0];
          b2 = bt[1];
          v0 = vs[0];
          v1 = vt[0];
          v2 = vt[1];
        }
        const exchange01 = b0.normSquared() < b1.normSquared();
        const b01 = longerFirst(b0, b1, exchange01);
        const v01 = longerFirst(v0, v1, exchange01);
        const exchange02 = b01[0].normSquared() < b2.normSquared();
        const b02 = longerFirst(b01[0], b2, exchange02);
        const v02 = longerFirst(v01[0], v2, exchange02);
        const exchange12 = b01[1].normSquared() < b02[1].normSquared();
        const b12 = longerFirst(b01[1], b02[1], exchange12);
        const v12 = longerFirst(v01[1], v02[1], exchange12);
        const B = matrixOfColumns(b02[0], b12[0], b12[1]);
        const V = matrixOfColumns(v02[0], v12[0], v12[1]);
        const g = givensRotation(B[0][0], B[1][0]);
        const rg = turned(B[0], B[1], g);
        const ug = turned(vectorOf(1, 0, 0), vectorOf(0, 1, 0), g);
        const h = givensRotation(rg[0][0], B[2][0]);
        const rh = turned(rg[0], B[2], h);
        const uh = turned(ug[0], vectorOf(0, 0, 1), h);
        const k = givensRotation(rg[1][1], rh[1][1]);
        const rk = turned(rg[1], rh[1], k);
        const uk = turned(ug[1], uh[1], k);
        const U = matrixOfColumns(uh[0], uk[0], uk[1]);
        // Where nothing was left to rotate, σ₁ may be a negative rounding error.
        return [U, vectorOf(rh[0][0], Math.max(rk[0][1], 0), rk[1][2]).mul(scales.x).mul(scales.y), V];
      },
      { ...basics, normalised, turned, jacobiRotation, givensRotation, longerFirst },
    ),
    inlined(
      (
        _A: Mat<3, 3>,
        [U, sigma, V]: [U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>],
        [byU, bySigma, byV]: [U: Mat<3, 3>, sigma: Vec<3>, V: Mat<3, 3>],
      ): Mat<3, 3> => svdAdjoint3(U, sigma, V, byU, bySigma, byV),
      { svdAdjoint3 },
    ),
    svdApart3,
  ),
);

/**
 * The polar decomposition A = R S of a 2×2 matrix, `const [R, S] = polar2(A)`: R is the rotation nearest to A, and S
 * symmetric, with a negative eigenvalue where A reflects. Where every rotation is as near, R is the identity.
 */
export const polar2 = libraryFunction(
  'polar2',
  withGradient(
    inlined(
      (A: Mat<2, 2>): [R: Mat<2, 2>, S: Mat<2, 2>] => {
        const [B] = normalised(A);
        const g = givensRotation(B[0][0] + B[1][1], B[1][0] - B[0][1]);
        const R = matrixOfRows([g.x, g.y], [-g.y, g.x]);
        const S = R.transpose().mul(A);
        return [R, S];
      },
      { ...basics, normalised, givensRotation },
    ),
    inlined(
      (A: Mat<2, 2>, [R, S]: [R: Mat<2, 2>, S: Mat<2, 2>], [byR, byS]: [R: Mat<2, 2>, S: Mat<2, 2>]): Mat<2, 2> =>
        rotationAdjoint2(R, S, byR.add(A.mul(byS.transpose()))).add(R.mul(byS)),
      { rotationAdjoint2 },
    ),
  ),
);

/**
 * The polar decomposition A = R S of a 3×3 matrix, `const [R, S] = polar3(A)`: R is the rotation nearest to A, and S
 * symmetric, with a negative eigenvalue where A reflects.
 */
export const polar3 = libraryFunction(
  'polar3',
  withGradient(
    inlined(
      (A: Mat<3, 3>): [R: Mat<3, 3>, S: Mat<3, 3>] => {
        const [U, sigma, V] = svd3(A);
        const sigmaVt = matrixOfRows(
          V.transpose()[0].mul(sigma.x),
          V.transpose()[1].mul(sigma.y),
          V.transpose()[2].mul(sigma.z),
        );
        return [U.mul(V.transpose()), V.mul(sigmaVt)];
      },
      { ...basics, svd3 },
    ),
    inlined(
      (A: Mat<3, 3>, [R, S]: [R: Mat<3, 3>, S: Mat<3, 3>], [byR, byS]: [R: Mat<3, 3>, S: Mat<3, 3>]): Mat<3, 3> =>
        rotationAdjoint3(R, S, byR.add(A.mul(byS.transpose()))).add(R.mul(byS)),
      { rotationAdjoint3 },
    ),
  ),
);

/**
 * Eigenvalues and eigenvectors of a symmetric 2×2 matrix, `const [lambda, V] = eig2(A)`: A = V diag(λ) Vᵀ, λ₀ ≥ λ₁, V a
 * rotation with the eigenvectors as columns.
 */
export const eig2 = libraryFunction(
  'eig2',
  withGradient(
    inlined(
      (A: Mat<2, 2>): [lambda: Vec<2>, V: Mat<2, 2>] => {
        // Moved so far that no eigenvalue is negative, eigenvectors are singular vectors.
        const [B] = normalised(A);
        const shift = B.abs().sum();
        const [, , V] = svd2(matrixOfRows([B[0][0] + shift, B[0][1]], [B[1][0], B[1][1] + shift]));
        return [V.transpose().mul(A).mul(V).diagonal(), V];
      },
      { ...basics, normalised, svd2 },
    ),
    inlined(
      (
        _A: Mat<2, 2>,
        [lambda, V]: [lambda: Vec<2>, V: Mat<2, 2>],
        [byLambda, byV]: [lambda: Vec<2>, V: Mat<2, 2>],
      ): Mat<2, 2> => eigAdjoint2(lambda, V, byLambda, byV),
      { eigAdjoint2 },
    ),
    eigApart2,
  ),
);

/**
 * Eigenvalues and eigenvectors of a symmetric 3×3 matrix, `const [lambda, V] = eig3(A)`: A = V diag(λ) Vᵀ, λ₀ ≥ λ₁ ≥ λ₂ up
 * to rounding, V a rotation with the eigenvectors as columns.
 */
export const eig3 = libraryFunction(
  'eig3',
  withGradient(
    inlined(
      (A: Mat<3, 3>): [lambda: Vec<3>, V: Mat<3, 3>] => {
        const [B] = normalised(A);
        const shift = B.abs().sum();
        const moved = B.add(matrixOfRows([shift, 0, 0], [0, shift, 0], [0, 0, shift]));
        const [, , V] = svd3(moved);
        return [V.transpose().mul(A).mul(V).diagonal(), V];
      },
      { ...basics, normalised, svd3 },
    ),
    inlined(
      (
        _A: Mat<3, 3>,
        [lambda, V]: [lambda: Vec<3>, V: Mat<3, 3>],
        [byLambda, byV]: [lambda: Vec<3>, V: Mat<3, 3>],
      ): Mat<3, 3> => eigAdjoint3(lambda, V, byLambda, byV),
      { eigAdjoint3 },
    ),
    eigApart3,
  ),
);
