import { checkShape } from './coo.js';
import type { CsrPattern } from './csr.js';

/** The pattern of the n × n identity; give every entry the value 1. */
export const identityPattern = (n: number): CsrPattern => diagonalPattern(n, n);

/** The pattern with an entry at every (i, i) of a `rows × cols` matrix, `min(rows, cols)` of them. */
export const diagonalPattern = (rows: number, cols: number): CsrPattern => {
  checkShape('csr/shape', rows, cols);
  const n = Math.min(rows, cols);
  return {
    rows,
    cols,
    rowPtr: Int32Array.from({ length: rows + 1 }, (_, i) => Math.min(i, n)),
    colIdx: Int32Array.from({ length: n }, (_, i) => i),
  };
};

/** For each diagonal place, `min(rows, cols)` of them, its entry in `p`, or −1 where the pattern has none. */
export const diagonalEntries = (p: CsrPattern): Int32Array => {
  const out = new Int32Array(Math.min(p.rows, p.cols));
  for (let i = 0; i < out.length; i++) out[i] = findEntry(p, i, i);
  return out;
};

/** The entry at (i, j), or −1 where the pattern has none. Logarithmic in the entries of the row. */
export const findEntry = (p: CsrPattern, i: number, j: number): number => {
  const at = lowerBound(p.colIdx, p.rowPtr[i], p.rowPtr[i + 1], j);
  return at < p.rowPtr[i + 1] && p.colIdx[at] === j ? at : -1;
};

/** First position in the increasing `a[from .. to)` whose value is at least `x`; `to` where there is none. */
export const lowerBound = (a: Int32Array, from: number, to: number, x: number): number => {
  let lo = from;
  let hi = to;
  while (lo < hi) {
    const mid = (lo + hi) >>> 1;
    if (a[mid] < x) lo = mid + 1;
    else hi = mid;
  }
  return lo;
};
