import { coo } from './coo.js';
import type { CsrPattern } from './csr.js';

/** A pattern assembled from triplets, and for each triplet the entry that it adds to. */
export interface Assembly {
  readonly pattern: CsrPattern;
  readonly entry: Int32Array;
}

/**
 * The CSR pattern of a list of triplets, 0-based, in any order, duplicates allowed. Time and memory are linear in
 * triplets + rows + columns. Values follow by `assemble`, which sums the triplets of an entry in input order.
 * Throws `DiagnosticError`: `coo/shape`, `coo/length`, `coo/range`.
 */
export const csrFromTriplets = (
  rows: number,
  cols: number,
  rowIdx: ArrayLike<number>,
  colIdx: ArrayLike<number>,
): Assembly => {
  const { rowIdx: ri, colIdx: ci } = coo(rows, cols, rowIdx, colIdx);
  return csrFromCheckedTriplets(rows, cols, ri, ci);
};

/** `csrFromTriplets` for index arrays that are known to be in range. */
export const csrFromCheckedTriplets = (
  rows: number,
  cols: number,
  rowIdx: Int32Array,
  colIdx: Int32Array,
): Assembly => {
  const n = rowIdx.length;
  // Two stable counting sorts, by column and then by row, order the triplets by (row, column, input position).
  const byColumn = stableOrder(colIdx, cols, undefined);
  const order = stableOrder(rowIdx, rows, byColumn);
  const entry = new Int32Array(n);
  const rowPtr = new Int32Array(rows + 1);
  let e = -1;
  let lastRow = -1;
  let lastCol = -1;
  for (let t = 0; t < n; t++) {
    const s = order[t];
    const i = rowIdx[s];
    const j = colIdx[s];
    if (i !== lastRow || j !== lastCol) {
      e++;
      rowPtr[i + 1]++;
      lastRow = i;
      lastCol = j;
    }
    entry[s] = e;
  }
  for (let i = 0; i < rows; i++) rowPtr[i + 1] += rowPtr[i];
  const outCols = new Int32Array(e + 1);
  for (let s = 0; s < n; s++) outCols[entry[s]] = colIdx[s];
  return { pattern: { rows, cols, rowPtr, colIdx: outCols }, entry };
};

/**
 * The positions `0 .. keys.length` ordered by key, equal keys in the order of `order` (input order when undefined). Keys
 * are in `[0, limit)`.
 */
export const stableOrder = (keys: Int32Array, limit: number, order: Int32Array | undefined): Int32Array => {
  const n = keys.length;
  const next = new Int32Array(limit + 1);
  for (let t = 0; t < n; t++) next[keys[t] + 1]++;
  for (let k = 0; k < limit; k++) next[k + 1] += next[k];
  const out = new Int32Array(n);
  if (order === undefined) {
    for (let t = 0; t < n; t++) out[next[keys[t]]++] = t;
  } else {
    for (let t = 0; t < n; t++) {
      const s = order[t];
      out[next[keys[s]]++] = s;
    }
  }
  return out;
};
