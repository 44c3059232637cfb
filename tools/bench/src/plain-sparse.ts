import type { Csr } from '@filigree/sparse/formats';

/**
 * Sparse algebra on numbers in plain TypeScript, written for reading: what every faster implementation is checked against.
 * Entries that cancel to zero stay in the pattern.
 */
export type NumericCsr = Csr<Float64Array>;

/** A + B. */
export const add = (A: NumericCsr, B: NumericCsr): NumericCsr =>
  byRows(A.pattern.rows, A.pattern.cols, (i, put) => {
    for (const M of [A, B])
      for (let k = M.pattern.rowPtr[i]; k < M.pattern.rowPtr[i + 1]; k++) put(M.pattern.colIdx[k], M.values[k]);
  });

/** A B. */
export const multiply = (A: NumericCsr, B: NumericCsr): NumericCsr =>
  byRows(A.pattern.rows, B.pattern.cols, (i, put) => {
    for (let k = A.pattern.rowPtr[i]; k < A.pattern.rowPtr[i + 1]; k++) {
      const row = A.pattern.colIdx[k];
      for (let l = B.pattern.rowPtr[row]; l < B.pattern.rowPtr[row + 1]; l++)
        put(B.pattern.colIdx[l], A.values[k] * B.values[l]);
    }
  });

/** A'. */
export const transpose = (A: NumericCsr): NumericCsr => {
  const { rows, cols, colIdx } = A.pattern;
  const rowPtr = new Int32Array(cols + 1);
  for (const j of colIdx) rowPtr[j + 1]++;
  for (let j = 0; j < cols; j++) rowPtr[j + 1] += rowPtr[j];
  const next = rowPtr.slice();
  const transposed = new Int32Array(colIdx.length);
  const values = new Float64Array(colIdx.length);
  for (let i = 0; i < rows; i++)
    for (let k = A.pattern.rowPtr[i]; k < A.pattern.rowPtr[i + 1]; k++) {
      const at = next[colIdx[k]]++;
      transposed[at] = i;
      values[at] = A.values[k];
    }
  return { pattern: { rows: cols, cols: rows, rowPtr, colIdx: transposed }, values };
};

/** s A. */
export const scale = (s: number, A: NumericCsr): NumericCsr => ({
  pattern: A.pattern,
  values: A.values.map((x) => s * x),
});

/** The matrix whose row i is the sum of all that `fill` puts into it. */
const byRows = (
  rows: number,
  cols: number,
  fill: (i: number, put: (j: number, x: number) => void) => void,
): NumericCsr => {
  const sum = new Float64Array(cols);
  const lastRow = new Int32Array(cols).fill(-1);
  const rowPtr = new Int32Array(rows + 1);
  const colIdx: number[] = [];
  const values: number[] = [];
  let row: number[] = [];
  for (let i = 0; i < rows; i++) {
    row = [];
    fill(i, (j, x) => {
      if (lastRow[j] !== i) {
        lastRow[j] = i;
        sum[j] = 0;
        row.push(j);
      }
      sum[j] += x;
    });
    row.sort((a, b) => a - b);
    for (const j of row) {
      colIdx.push(j);
      values.push(sum[j]);
    }
    rowPtr[i + 1] = colIdx.length;
  }
  return { pattern: { rows, cols, rowPtr, colIdx: Int32Array.from(colIdx) }, values: Float64Array.from(values) };
};
