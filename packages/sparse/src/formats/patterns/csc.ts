import type { CsrPattern } from './csr.js';
import type { Rearranged } from './gather.js';

/** The pattern in compressed columns: entries of column `j` are `colPtr[j] .. colPtr[j+1]`, with strictly increasing rows. */
export interface CscPattern {
  readonly rows: number;
  readonly cols: number;
  readonly colPtr: Int32Array;
  readonly rowIdx: Int32Array;
}

/** CSR to CSC, with the position in CSR of every CSC entry. Linear time. */
export const cscFromCsr = (p: CsrPattern): Rearranged<CscPattern> => {
  const { major, minor, from } = turn(p.rows, p.cols, p.rowPtr, p.colIdx);
  return { pattern: { rows: p.rows, cols: p.cols, colPtr: major, rowIdx: minor }, from };
};

/** CSC to CSR, with the position in CSC of every CSR entry. Linear time. */
export const csrFromCsc = (p: CscPattern): Rearranged<CsrPattern> => {
  const { major, minor, from } = turn(p.cols, p.rows, p.colPtr, p.rowIdx);
  return { pattern: { rows: p.rows, cols: p.cols, rowPtr: major, colIdx: minor }, from };
};

/** The pattern of the transpose, with the position in `p` of each of its entries. Linear time. */
export const transposePattern = (p: CsrPattern): Rearranged<CsrPattern> => {
  const { major, minor, from } = turn(p.rows, p.cols, p.rowPtr, p.colIdx);
  return { pattern: { rows: p.cols, cols: p.rows, rowPtr: major, colIdx: minor }, from };
};

/** Regroups entries that are grouped by `n` majors under their `m` minors; within a minor the majors come increasing. */
const turn = (
  n: number,
  m: number,
  ptr: Int32Array,
  idx: Int32Array,
): { readonly major: Int32Array; readonly minor: Int32Array; readonly from: Int32Array } => {
  const major = new Int32Array(m + 1);
  for (let e = 0; e < idx.length; e++) major[idx[e] + 1]++;
  for (let j = 0; j < m; j++) major[j + 1] += major[j];
  const next = major.slice(0, m);
  const minor = new Int32Array(idx.length);
  const from = new Int32Array(idx.length);
  for (let i = 0; i < n; i++) {
    for (let e = ptr[i]; e < ptr[i + 1]; e++) {
      const at = next[idx[e]]++;
      minor[at] = i;
      from[at] = e;
    }
  }
  return { major, minor, from };
};
