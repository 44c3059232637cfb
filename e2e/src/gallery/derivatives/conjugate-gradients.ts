import type { Csr } from '@filigree/sparse/formats';

/**
 * The solution of A·x = b by conjugate gradients from zero, to a residual of `accuracy` times b. Given up where A is not positive along a direction: what was found
 * until then, or b.
 */
export const conjugateGradients = (A: Csr<ArrayLike<number>>, b: Float64Array, accuracy: number): Float64Array => {
  const x = new Float64Array(b.length);
  const residual = b.slice();
  let direction = b.slice();
  let square = dot(residual, residual);
  const enough = accuracy * accuracy * square;
  for (let k = 0; k < MOST_STEPS && square > enough; k++) {
    const image = timesSymmetric(A, direction);
    const curvature = dot(direction, image);
    if (!(curvature > 0)) return k === 0 ? b.slice() : x;
    const step = square / curvature;
    for (let i = 0; i < b.length; i++) {
      x[i] += step * direction[i];
      residual[i] -= step * image[i];
    }
    const next = dot(residual, residual);
    const kept = next / square;
    direction = direction.map((d, i) => residual[i] + kept * d);
    square = next;
  }
  return x;
};

const MOST_STEPS = 1000;

/** H·x of a symmetric matrix that is given on and below the diagonal. */
export const timesSymmetric = ({ pattern, values }: Csr<ArrayLike<number>>, x: ArrayLike<number>): Float64Array => {
  const { rows, rowPtr, colIdx } = pattern;
  const y = new Float64Array(rows);
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]; e < rowPtr[i + 1]; e++) {
      const j = colIdx[e];
      y[i] += values[e] * x[j];
      if (i !== j) y[j] += values[e] * x[i];
    }
  return y;
};

export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let s = 0;
  for (let i = 0; i < a.length; i++) s += a[i] * b[i];
  return s;
};
