import { fail } from '@filigree/ir';
import { transposePattern } from '../patterns/csc.js';
import type { Csr } from '../patterns/csr.js';
import { diagonalEntries, diagonalPattern, lowerBound } from '../patterns/special.js';
import { stableOrder, type Assembly } from '../patterns/triplets.js';
import type { Ring } from './ring.js';

/** Aᵀ. */
export const transpose = <V>(ring: Ring<V>, a: Csr<V>): Csr<V> => {
  const whole = ring.transposed?.(a);
  if (whole !== undefined) return whole;
  const { pattern, from } = transposePattern(a.pattern);
  return { pattern, values: pick(ring, a.values, from) };
};

/**
 * The matrix of a list of triplets with values: every entry is `ring.sum` of its triplets in input order. `values` has
 * one value per triplet of the assembly.
 */
export const assemble = <V>(ring: Ring<V>, assembly: Assembly, values: V): Csr<V> => {
  const { pattern, entry } = assembly;
  const entries = pattern.colIdx.length;
  const order = stableOrder(entry, entries, undefined);
  const out = ring.allocate(entries);
  let longest = 0;
  for (let t = 0, e = 0; t < order.length; t = e) {
    for (e = t + 1; e < order.length && entry[order[e]] === entry[order[t]]; e++);
    longest = Math.max(longest, e - t);
  }
  const scratch = new Int32Array(longest);
  let t = 0;
  for (let e = 0; e < entries; e++) {
    let n = 0;
    for (; t < order.length && entry[order[t]] === e; t++) scratch[n++] = order[t];
    ring.sum(out, e, values, scratch, n);
  }
  return { pattern, values: out };
};

/** The n × n matrix with the first n of `values` on its diagonal. */
export const diagonalMatrix = <V>(ring: Ring<V>, n: number, values: V): Csr<V> => {
  const out = ring.allocate(n);
  for (let i = 0; i < n; i++) ring.copy(out, i, values, i);
  return { pattern: diagonalPattern(n, n), values: out };
};

/** The diagonal, `min(rows, cols)` values, zero where the matrix has no entry. */
export const diagonalOf = <V>(ring: Ring<V>, a: Csr<V>): V => pick(ring, a.values, diagonalEntries(a.pattern));

/**
 * The block of rows `[row, rowEnd)` and columns `[col, colEnd)`.
 * Throws `DiagnosticError`: `algebra/range` for a block that does not lie in the matrix.
 */
export const subBlock = <V>(
  ring: Ring<V>,
  a: Csr<V>,
  row: number,
  rowEnd: number,
  col: number,
  colEnd: number,
): Csr<V> => {
  const { rows, cols, rowPtr, colIdx } = a.pattern;
  const inside = (from: number, to: number, limit: number): boolean =>
    Number.isInteger(from) && Number.isInteger(to) && 0 <= from && from <= to && to <= limit;
  if (!inside(row, rowEnd, rows) || !inside(col, colEnd, cols)) {
    fail(
      'algebra/range',
      `rows [${row}, ${rowEnd}) and columns [${col}, ${colEnd}) are no block of ${rows} × ${cols}`,
      {
        remedy: 'ranges count from 0, end before their second number, and lie inside the matrix',
      },
    );
  }
  const outPtr = new Int32Array(rowEnd - row + 1);
  for (let i = row; i < rowEnd; i++) {
    const begin = lowerBound(colIdx, rowPtr[i], rowPtr[i + 1], col);
    outPtr[i - row + 1] = outPtr[i - row] + lowerBound(colIdx, begin, rowPtr[i + 1], colEnd) - begin;
  }
  const outCols = new Int32Array(outPtr[rowEnd - row]);
  const values = ring.allocate(outCols.length);
  let e = 0;
  for (let i = row; i < rowEnd; i++) {
    let p = lowerBound(colIdx, rowPtr[i], rowPtr[i + 1], col);
    for (; e < outPtr[i - row + 1]; p++, e++) {
      outCols[e] = colIdx[p] - col;
      ring.copy(values, e, a.values, p);
    }
  }
  return { pattern: { rows: rowEnd - row, cols: colEnd - col, rowPtr: outPtr, colIdx: outCols }, values };
};

const pick = <V>(ring: Ring<V>, values: V, from: Int32Array): V => {
  const out = ring.allocate(from.length);
  for (let e = 0; e < from.length; e++) if (from[e] >= 0) ring.copy(out, e, values, from[e]);
  return out;
};
