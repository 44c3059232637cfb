import type { CsrPattern } from '@filigree/sparse/formats';

/**
 * The local step of as-rigid-as-possible deformation (paper §5.5; Sorkine, Alexa 2007): for each vertex the rotation that
 * best takes its edges at rest to the deformed ones, then the right-hand side of the global system,
 * B_i = Σ_j w_ij/2 (R_i + R_j)(p_i − p_j).
 *
 * @param P deformed coordinates, three a vertex
 * @param rest coordinates at rest, three a vertex
 * @param weights the weight of each entry of the pattern; `arapWeights`
 * @param rowPtr, colIdx the neighbours of each vertex
 * @returns B, three numbers a vertex
 */
export function arapRightHandSide(
  P: ArrayLike<number>,
  rest: ArrayLike<number>,
  weights: ArrayLike<number>,
  rowPtr: ArrayLike<number>,
  colIdx: ArrayLike<number>,
): number[] {
  const n = rowPtr.length - 1;
  const rotations: number[][] = [];
  for (let i = 0; i < n; i++) {
    const S = [0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const j = colIdx[k];
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++)
          S[3 * r + c] += weights[k] * (rest[3 * i + r] - rest[3 * j + r]) * (P[3 * i + c] - P[3 * j + c]);
    }
    rotations.push(rotationOf(svd3(S)));
  }
  const B = new Array<number>(3 * n).fill(0);
  for (let i = 0; i < n; i++)
    for (let k = rowPtr[i]; k < rowPtr[i + 1]; k++) {
      const j = colIdx[k];
      for (let r = 0; r < 3; r++)
        for (let c = 0; c < 3; c++)
          B[3 * i + r] +=
            0.5 *
            weights[k] *
            (rotations[i][3 * r + c] + rotations[j][3 * r + c]) *
            (rest[3 * i + c] - rest[3 * j + c]);
    }
  return B;
}

/** The rotation V Uᵀ of a decomposition that `svd3` made; a proper one, for U and V are proper. */
export function rotationOf(svd: ArrayLike<number>): number[] {
  const R = new Array<number>(9).fill(0);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) R[3 * i + j] += svd[12 + 3 * i + k] * svd[3 * j + k];
  return R;
}

/**
 * The singular value decomposition S = U diag(σ) Vᵀ of a 3x3 matrix (rows first) with a fixed number of steps and no branch, so that it
 * can be traced: four sweeps of Jacobi rotations on SᵀS give V, Givens rotations of S V give U (after McAdams, Selle,
 * Tamstorf, Teran, Sifakis 2011). U and V are rotations, |σ₀| ≥ |σ₁| ≥ |σ₂|, and only σ₂ may be negative.
 *
 * @returns 21 numbers: U (9), σ (3), V (9)
 */
export function svd3(S: ArrayLike<number>): number[] {
  const A = new Array<number>(9).fill(0);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) A[3 * i + j] += S[3 * k + i] * S[3 * k + j];
  const V = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  for (let sweep = 0; sweep < 4; sweep++) {
    jacobiRotate(A, V, 0, 1, 2);
    jacobiRotate(A, V, 1, 2, 0);
    jacobiRotate(A, V, 2, 0, 1);
  }
  const B = new Array<number>(9).fill(0);
  for (let i = 0; i < 3; i++)
    for (let j = 0; j < 3; j++) for (let k = 0; k < 3; k++) B[3 * i + j] += S[3 * i + k] * V[3 * k + j];
  sortColumns(B, V, 0, 1);
  sortColumns(B, V, 0, 2);
  sortColumns(B, V, 1, 2);
  const U = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  givensRotate(B, U, 0, 1, 0);
  givensRotate(B, U, 0, 2, 0);
  givensRotate(B, U, 1, 2, 1);
  return [...U, B[0], B[4], B[8], ...V];
}

/** Rotates rows and columns p and q of the symmetric A so that A[p][q] is 0; the third index is r. V takes the rotation too. */
function jacobiRotate(A: number[], V: number[], p: number, q: number, r: number): void {
  const d = A[3 * q + q] - A[3 * p + p];
  const h = 2 * A[3 * p + q];
  // The smaller root of t² + (d/h·2) t − 1; TINY keeps 0/0 away where there is nothing to rotate.
  const t = (d < 0 ? -h : h) / (Math.abs(d) + Math.sqrt(d * d + h * h) + TINY);
  const c = 1 / Math.sqrt(1 + t * t);
  const s = t * c;
  const apq = A[3 * p + q];
  const arp = A[3 * r + p];
  const arq = A[3 * r + q];
  A[3 * p + p] = A[3 * p + p] - t * apq;
  A[3 * q + q] = A[3 * q + q] + t * apq;
  A[3 * p + q] = 0;
  A[3 * q + p] = 0;
  A[3 * r + p] = c * arp - s * arq;
  A[3 * p + r] = c * arp - s * arq;
  A[3 * r + q] = s * arp + c * arq;
  A[3 * q + r] = s * arp + c * arq;
  for (let i = 0; i < 3; i++) {
    const vp = V[3 * i + p];
    const vq = V[3 * i + q];
    V[3 * i + p] = c * vp - s * vq;
    V[3 * i + q] = s * vp + c * vq;
  }
}

/** Exchanges columns p and q of B and V where column q of B is the longer; one is negated, so that V stays a rotation. */
function sortColumns(B: number[], V: number[], p: number, q: number): void {
  const lp = B[p] * B[p] + B[3 + p] * B[3 + p] + B[6 + p] * B[6 + p];
  const lq = B[q] * B[q] + B[3 + q] * B[3 + q] + B[6 + q] * B[6 + q];
  for (let i = 0; i < 3; i++) {
    const [bp, bq, vp, vq] = [B[3 * i + p], B[3 * i + q], V[3 * i + p], V[3 * i + q]];
    B[3 * i + p] = lp < lq ? bq : bp;
    B[3 * i + q] = lp < lq ? -bp : bq;
    V[3 * i + p] = lp < lq ? vq : vp;
    V[3 * i + q] = lp < lq ? -vp : vq;
  }
}

/** Rotates rows p and q of B so that B[q][column] is 0 and B[p][column] is not negative; U takes the inverse rotation. */
function givensRotate(B: number[], U: number[], p: number, q: number, column: number): void {
  const a = B[3 * p + column];
  const b = B[3 * q + column];
  const length = Math.sqrt(a * a + b * b);
  // Below SMALL there is nothing to rotate, and in f32 the squares above would no longer be exact.
  const divisor = length > SMALL ? length : 1;
  const c = length > SMALL ? a / divisor : 1;
  const s = length > SMALL ? b / divisor : 0;
  for (let j = 0; j < 3; j++) {
    const bp = B[3 * p + j];
    const bq = B[3 * q + j];
    B[3 * p + j] = c * bp + s * bq;
    B[3 * q + j] = c * bq - s * bp;
    const up = U[3 * j + p];
    const uq = U[3 * j + q];
    U[3 * j + p] = c * up + s * uq;
    U[3 * j + q] = c * uq - s * up;
  }
}

/** Small beside any entry that matters, and normal numbers in f32 too; of SMALL even the square. */
const TINY = 1e-30;
const SMALL = 1e-18;

/**
 * Neighbours and weights of the local step, from the cotan Laplacian of the mesh at rest (off the diagonal positive, as
 * `cotanLaplacian` makes it): its entries without the diagonal.
 */
export const arapWeights = (
  pattern: CsrPattern,
  laplacian: ArrayLike<number>,
): { pattern: CsrPattern; weights: number[] } => {
  const rowPtr = new Int32Array(pattern.rows + 1);
  const colIdx: number[] = [];
  const weights: number[] = [];
  for (let i = 0; i < pattern.rows; i++) {
    for (let k = pattern.rowPtr[i]; k < pattern.rowPtr[i + 1]; k++) {
      if (pattern.colIdx[k] === i) continue;
      colIdx.push(pattern.colIdx[k]);
      weights.push(laplacian[k]);
    }
    rowPtr[i + 1] = colIdx.length;
  }
  return { pattern: { rows: pattern.rows, cols: pattern.cols, rowPtr, colIdx: Int32Array.from(colIdx) }, weights };
};

/** What the programs of this file refer to, for whoever rewrites their source. */
export const arapScope = { svd3, rotationOf, jacobiRotate, sortColumns, givensRotate, TINY, SMALL };
