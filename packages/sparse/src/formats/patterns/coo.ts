import { fail } from '@filigree/ir';
import type { CsrPattern } from './csr.js';

/**
 * The pattern of a sparse matrix as a list of places, 0-based, in any order. A place may stand more than once: the entry
 * there is the sum of its triplets, in list order.
 */
export interface CooPattern {
  readonly rows: number;
  readonly cols: number;
  readonly rowIdx: Int32Array;
  readonly colIdx: Int32Array;
}

/**
 * Checked construction of a COO pattern from index lists of equal length.
 * Throws `DiagnosticError`: `coo/shape`, `coo/length`, `coo/range`.
 */
export const coo = (rows: number, cols: number, rowIdx: ArrayLike<number>, colIdx: ArrayLike<number>): CooPattern => {
  checkShape('coo/shape', rows, cols);
  if (![rowIdx, colIdx].every((x) => typeof x === 'object' && x !== null && 'length' in x))
    fail('coo/length', 'the row indices of all triplets are one list, and their column indices another', {
      remedy: 'give two lists: csrFromTriplets(rows, cols, [0, 1], [0, 2]); values are added by what it returns',
    });
  if (rowIdx.length !== colIdx.length) {
    fail('coo/length', `${rowIdx.length} row indices stand against ${colIdx.length} column indices`, {
      remedy: 'give one row index and one column index for every triplet',
    });
  }
  return { rows, cols, rowIdx: checkedIndices('row', rowIdx, rows), colIdx: checkedIndices('column', colIdx, cols) };
};

/** The places of a CSR pattern as triplets, in the same entry order: values need no permutation. */
export const cooFromCsr = (p: CsrPattern): CooPattern => {
  const rowIdx = new Int32Array(p.colIdx.length);
  for (let i = 0; i < p.rows; i++) rowIdx.fill(i, p.rowPtr[i], p.rowPtr[i + 1]);
  return { rows: p.rows, cols: p.cols, rowIdx, colIdx: p.colIdx };
};

/** Largest number of rows, columns or entries: positions are 32-bit. */
export const MAX_INDEX = 0x7fffffff;

/** Refuses a shape that is not two whole numbers from 0 to 2³¹ − 2. */
export const checkShape = (code: string, rows: number, cols: number): void => {
  for (const n of [rows, cols]) {
    if (!Number.isInteger(n) || n < 0 || n >= MAX_INDEX) {
      fail(code, `a matrix cannot have the shape ${rows} × ${cols}`, {
        remedy: 'rows and columns are whole numbers from 0 to 2147483646',
      });
    }
  }
};

const checkedIndices = (what: string, indices: ArrayLike<number>, limit: number): Int32Array => {
  const n = indices.length;
  const out = new Int32Array(n);
  for (let t = 0; t < n; t++) {
    const i = indices[t];
    out[t] = i;
    // The comparison with the stored integer refuses fractions and NaN as well.
    if (out[t] !== i || i < 0 || i >= limit) {
      fail('coo/range', `triplet ${t} has ${what} ${i}, but the matrix has ${limit} ${what}s`, {
        remedy: `${what} indices are whole numbers from 0 to ${limit - 1}`,
      });
    }
  }
  return out;
};
