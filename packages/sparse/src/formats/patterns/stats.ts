import { samePattern } from './compare.js';
import { transposePattern } from './csc.js';
import type { CsrPattern } from './csr.js';

/** The first things a person asks about a pattern. */
export interface PatternStats {
  readonly rows: number;
  readonly cols: number;
  readonly nnz: number;
  /** Entries per row; all 0 for a matrix without rows. */
  readonly perRow: { readonly min: number; readonly mean: number; readonly max: number };
  /** Largest distance of an entry from the diagonal: below it, above it, and the greater of both. */
  readonly lowerBandwidth: number;
  readonly upperBandwidth: number;
  readonly bandwidth: number;
  /** Whether (j, i) is an entry wherever (i, j) is. Values are not looked at. */
  readonly symmetric: boolean;
}

/** Counts of a valid pattern, in linear time. */
export const patternStats = (p: CsrPattern): PatternStats => {
  const nnz = p.colIdx.length;
  let min = p.rows > 0 ? Infinity : 0;
  let max = 0;
  let lower = 0;
  let upper = 0;
  for (let i = 0; i < p.rows; i++) {
    const begin = p.rowPtr[i];
    const end = p.rowPtr[i + 1];
    min = Math.min(min, end - begin);
    max = Math.max(max, end - begin);
    if (end === begin) continue;
    lower = Math.max(lower, i - p.colIdx[begin]);
    upper = Math.max(upper, p.colIdx[end - 1] - i);
  }
  return {
    rows: p.rows,
    cols: p.cols,
    nnz,
    perRow: { min, mean: p.rows > 0 ? nnz / p.rows : 0, max },
    lowerBandwidth: lower,
    upperBandwidth: upper,
    bandwidth: Math.max(lower, upper),
    symmetric: p.rows === p.cols && samePattern(p, transposePattern(p).pattern),
  };
};
