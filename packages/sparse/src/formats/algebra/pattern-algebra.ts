import { fail } from '@filigree/ir';
import { MAX_INDEX } from '../patterns/coo.js';
import type { CsrPattern } from '../patterns/csr.js';

/**
 * The pattern of a sum or difference: the union. Where one pattern holds the other, that very object is returned.
 * Throws `DiagnosticError`: `algebra/shape`, `algebra/too-large`.
 */
export const sumPattern = (a: CsrPattern, b: CsrPattern): CsrPattern => {
  requireSameShape('add', a, b);
  if (a === b) return a;
  const rowPtr = new Int32Array(a.rows + 1);
  let n = 0;
  for (let i = 0; i < a.rows; i++) {
    let p = a.rowPtr[i];
    let q = b.rowPtr[i];
    const pEnd = a.rowPtr[i + 1];
    const qEnd = b.rowPtr[i + 1];
    while (p < pEnd && q < qEnd) {
      const d = a.colIdx[p] - b.colIdx[q];
      if (d <= 0) p++;
      if (d >= 0) q++;
      n++;
    }
    n += pEnd - p + (qEnd - q);
    requireRoom(n);
    rowPtr[i + 1] = n;
  }
  if (n === a.colIdx.length) return a;
  if (n === b.colIdx.length) return b;
  const colIdx = new Int32Array(n);
  let e = 0;
  for (let i = 0; i < a.rows; i++) {
    let p = a.rowPtr[i];
    let q = b.rowPtr[i];
    const pEnd = a.rowPtr[i + 1];
    const qEnd = b.rowPtr[i + 1];
    while (p < pEnd && q < qEnd) {
      const ja = a.colIdx[p];
      const jb = b.colIdx[q];
      colIdx[e++] = ja <= jb ? ja : jb;
      if (ja <= jb) p++;
      if (jb <= ja) q++;
    }
    while (p < pEnd) colIdx[e++] = a.colIdx[p++];
    while (q < qEnd) colIdx[e++] = b.colIdx[q++];
  }
  return { rows: a.rows, cols: a.cols, rowPtr, colIdx };
};

/** The pattern of an element-wise product: the intersection. Throws `DiagnosticError`: `algebra/shape`. */
export const intersectionPattern = (a: CsrPattern, b: CsrPattern): CsrPattern => {
  requireSameShape('multiply element-wise', a, b);
  if (a === b) return a;
  const rowPtr = new Int32Array(a.rows + 1);
  const colIdx = new Int32Array(Math.min(a.colIdx.length, b.colIdx.length));
  let n = 0;
  for (let i = 0; i < a.rows; i++) {
    let p = a.rowPtr[i];
    let q = b.rowPtr[i];
    while (p < a.rowPtr[i + 1] && q < b.rowPtr[i + 1]) {
      const d = a.colIdx[p] - b.colIdx[q];
      if (d === 0) colIdx[n++] = a.colIdx[p];
      if (d <= 0) p++;
      if (d >= 0) q++;
    }
    rowPtr[i + 1] = n;
  }
  return { rows: a.rows, cols: a.cols, rowPtr, colIdx: n === colIdx.length ? colIdx : colIdx.slice(0, n) };
};

/**
 * The pattern of the matrix product A·B: (i, j) is an entry where some k has (i, k) in A and (k, j) in B, whatever the
 * values. Time is O(products + sorting of each row).
 * Throws `DiagnosticError`: `algebra/shape`, `algebra/too-large`.
 */
export const productPattern = (a: CsrPattern, b: CsrPattern): CsrPattern => {
  /* There are no more entries than products, and room that is not written to costs nothing. */
  let colIdx = new Int32Array(Math.min(countProducts(a, b), MOST_ROOM));
  const rowPtr = new Int32Array(a.rows + 1);
  const seenIn = new Int32Array(b.cols).fill(-1);
  let e = 0;
  for (let i = 0; i < a.rows; i++) {
    const begin = e;
    for (let p = a.rowPtr[i]; p < a.rowPtr[i + 1]; p++) {
      const k = a.colIdx[p];
      if (e + b.rowPtr[k + 1] - b.rowPtr[k] > colIdx.length) colIdx = wider(colIdx, e + b.rowPtr[k + 1] - b.rowPtr[k]);
      for (let q = b.rowPtr[k]; q < b.rowPtr[k + 1]; q++) {
        const j = b.colIdx[q];
        if (seenIn[j] !== i) {
          seenIn[j] = i;
          colIdx[e++] = j;
        }
      }
    }
    sortRow(colIdx, begin, e, seenIn, i);
    rowPtr[i + 1] = e;
  }
  return { rows: a.rows, cols: b.cols, rowPtr, colIdx: e === colIdx.length ? colIdx : colIdx.slice(0, e) };
};

/** Columns that room is made for at once. */
const MOST_ROOM = 2 ** 28;

/** The same columns with room for `least` and more. */
const wider = (columns: Int32Array, least: number): Int32Array<ArrayBuffer> => {
  requireRoom(least);
  const out = new Int32Array(Math.min(MAX_INDEX, Math.max(2 * columns.length, least)));
  out.set(columns);
  return out;
};

/** Scalar products a·b in the matrix product A·B: the pairs that `multiply` gives to `Ring.dot` in all. */
export const countProducts = (a: CsrPattern, b: CsrPattern): number => {
  requireProductShape(a, b);
  let n = 0;
  for (let p = 0; p < a.colIdx.length; p++) {
    const k = a.colIdx[p];
    n += b.rowPtr[k + 1] - b.rowPtr[k];
  }
  return n;
};

/** The most scalar products in any row of A·B. */
export const longestProductRow = (a: CsrPattern, b: CsrPattern): number => {
  let longest = 0;
  for (let i = 0; i < a.rows; i++) {
    let n = 0;
    for (let p = a.rowPtr[i]; p < a.rowPtr[i + 1]; p++) n += b.rowPtr[a.colIdx[p] + 1] - b.rowPtr[a.colIdx[p]];
    longest = Math.max(longest, n);
  }
  return longest;
};

/** Refuses operands of different shapes. */
const requireSameShape = (verb: string, a: CsrPattern, b: CsrPattern): void => {
  if (a.rows !== b.rows || a.cols !== b.cols) {
    fail('algebra/shape', `cannot ${verb} ${a.rows} × ${a.cols} and ${b.rows} × ${b.cols}`, {
      remedy: 'both matrices need the same rows and columns',
    });
  }
};

const requireProductShape = (a: CsrPattern, b: CsrPattern): void => {
  if (a.cols !== b.rows) {
    fail('algebra/shape', `cannot multiply ${a.rows} × ${a.cols} by ${b.rows} × ${b.cols}`, {
      remedy: 'the left matrix needs as many columns as the right one has rows',
    });
  }
};

const requireRoom = (entries: number): void => {
  if (entries > MAX_INDEX) {
    fail('algebra/too-large', 'the result has more than 2³¹ − 1 entries', {
      remedy: 'split the matrices into blocks and compute the result block by block',
    });
  }
};

/**
 * Sorts the distinct columns of one row. Short rows by insertion, which profits from the sorted runs they are made of;
 * rows that fill much of their column range by scanning it for marks; the rest by the engine's sort.
 */
const sortRow = (colIdx: Int32Array, begin: number, end: number, seenIn: Int32Array, row: number): void => {
  const n = end - begin;
  if (n <= 48) {
    for (let e = begin + 1; e < end; e++) {
      const j = colIdx[e];
      let at = e;
      while (at > begin && colIdx[at - 1] > j) {
        colIdx[at] = colIdx[at - 1];
        at--;
      }
      colIdx[at] = j;
    }
    return;
  }
  let lowest = colIdx[begin];
  let highest = lowest;
  for (let e = begin + 1; e < end; e++) {
    const j = colIdx[e];
    if (j < lowest) lowest = j;
    if (j > highest) highest = j;
  }
  if (highest - lowest < 16 * n) {
    let e = begin;
    for (let j = lowest; j <= highest; j++) if (seenIn[j] === row) colIdx[e++] = j;
  } else {
    colIdx.subarray(begin, end).sort();
  }
};
