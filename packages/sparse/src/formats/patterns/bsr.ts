import { fail } from '@filigree/ir';
import type { CsrPattern } from './csr.js';
import type { Rearranged } from './gather.js';

/**
 * The pattern in compressed rows of dense blocks of `blockRows × blockCols`. Block row `I` has the blocks
 * `rowPtr[I] .. rowPtr[I+1]` with strictly increasing block columns; block `b` keeps its values at
 * `b · blockRows · blockCols` onwards, row by row. Where the shape is no multiple of the block, the last block row or
 * column reaches over the edge, and what lies beyond is padding.
 */
export interface BsrPattern {
  readonly rows: number;
  readonly cols: number;
  readonly blockRows: number;
  readonly blockCols: number;
  readonly rowPtr: Int32Array;
  readonly colIdx: Int32Array;
}

/**
 * CSR to BSR: every block that holds an entry, made dense. `from` has one position per value slot, −1 for padding.
 * Throws `DiagnosticError`: `bsr/block` for a block size that is no positive integer or a result of 2³¹ slots or more.
 */
export const bsrFromCsr = (p: CsrPattern, blockRows: number, blockCols: number): Rearranged<BsrPattern> => {
  for (const n of [blockRows, blockCols]) {
    if (!Number.isInteger(n) || n < 1) {
      fail('bsr/block', `blocks cannot be ${blockRows} × ${blockCols}`, { remedy: 'give block sizes of at least 1' });
    }
  }
  const blockRowCount = Math.ceil(p.rows / blockRows);
  const blockColCount = Math.ceil(p.cols / blockCols);
  const rowPtr = new Int32Array(blockRowCount + 1);
  const last = new Int32Array(blockColCount).fill(-1);
  let blocks = 0;
  for (let I = 0; I < blockRowCount; I++) {
    const end = p.rowPtr[Math.min(p.rows, (I + 1) * blockRows)];
    for (let e = p.rowPtr[I * blockRows]; e < end; e++) {
      const J = Math.floor(p.colIdx[e] / blockCols);
      if (last[J] !== I) {
        last[J] = I;
        blocks++;
      }
    }
    rowPtr[I + 1] = blocks;
  }
  const area = blockRows * blockCols;
  if (blocks * area > 0x7fffffff) {
    fail('bsr/block', `${blocks} blocks of ${blockRows} × ${blockCols} have more than 2³¹ − 1 values`, {
      remedy: 'choose smaller blocks',
    });
  }
  const colIdx = new Int32Array(blocks);
  const from = new Int32Array(blocks * area).fill(-1);
  const slot = new Int32Array(blockColCount);
  last.fill(-1);
  let at = 0;
  for (let I = 0; I < blockRowCount; I++) {
    const first = at;
    const begin = p.rowPtr[I * blockRows];
    const end = p.rowPtr[Math.min(p.rows, (I + 1) * blockRows)];
    for (let e = begin; e < end; e++) {
      const J = Math.floor(p.colIdx[e] / blockCols);
      if (last[J] !== I) {
        last[J] = I;
        colIdx[at++] = J;
      }
    }
    colIdx.subarray(first, at).sort();
    for (let b = first; b < at; b++) slot[colIdx[b]] = b;
    for (let i = I * blockRows; i < Math.min(p.rows, (I + 1) * blockRows); i++) {
      for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) {
        const j = p.colIdx[e];
        const J = Math.floor(j / blockCols);
        from[slot[J] * area + (i - I * blockRows) * blockCols + (j - J * blockCols)] = e;
      }
    }
  }
  return { pattern: { rows: p.rows, cols: p.cols, blockRows, blockCols, rowPtr, colIdx }, from };
};

/** BSR to CSR: every slot of every block inside the matrix becomes an entry, padding zeros included. */
export const csrFromBsr = (p: BsrPattern): Rearranged<CsrPattern> => {
  const area = p.blockRows * p.blockCols;
  const rowPtr = new Int32Array(p.rows + 1);
  for (let i = 0; i < p.rows; i++) {
    const I = Math.floor(i / p.blockRows);
    let n = 0;
    for (let b = p.rowPtr[I]; b < p.rowPtr[I + 1]; b++) n += widthOf(p, b);
    rowPtr[i + 1] = rowPtr[i] + n;
  }
  const colIdx = new Int32Array(rowPtr[p.rows]);
  const from = new Int32Array(colIdx.length);
  let e = 0;
  for (let i = 0; i < p.rows; i++) {
    const I = Math.floor(i / p.blockRows);
    for (let b = p.rowPtr[I]; b < p.rowPtr[I + 1]; b++) {
      const width = widthOf(p, b);
      for (let c = 0; c < width; c++, e++) {
        colIdx[e] = p.colIdx[b] * p.blockCols + c;
        from[e] = b * area + (i - I * p.blockRows) * p.blockCols + c;
      }
    }
  }
  return { pattern: { rows: p.rows, cols: p.cols, rowPtr, colIdx }, from };
};

/** Columns of block `b` that lie inside the matrix. */
const widthOf = (p: BsrPattern, b: number): number => Math.min(p.blockCols, p.cols - p.colIdx[b] * p.blockCols);
