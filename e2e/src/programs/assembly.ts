import type { CsrPattern } from '@filigree/sparse/formats';

/**
 * Where triplets go: the pattern of the assembled matrix, and for triplet `t` the entry `slots[t]` its value is added to
 * (−1: to none). The pattern depends on topology only, so it is made once for a mesh.
 */
export interface Assembly {
  readonly pattern: CsrPattern;
  readonly slots: readonly number[];
}

/** The assembly of triplets at (`rows[t]`, `cols[t]`); a negative row leaves the triplet out. */
export const assemblyOf = (
  rowCount: number,
  colCount: number,
  rows: ArrayLike<number>,
  cols: ArrayLike<number>,
): Assembly => {
  const kept: number[] = [];
  for (let t = 0; t < rows.length; t++) if (rows[t] >= 0) kept.push(t);
  const order = Uint32Array.from(kept).sort((a, b) => rows[a] - rows[b] || cols[a] - cols[b]);
  const rowPtr = new Int32Array(rowCount + 1);
  const colIdx: number[] = [];
  const slots = new Array<number>(rows.length).fill(-1);
  let row = -1;
  let col = -1;
  for (const t of order) {
    if (rows[t] !== row || cols[t] !== col) {
      row = rows[t];
      col = cols[t];
      colIdx.push(col);
      rowPtr[row + 1]++;
    }
    slots[t] = colIdx.length - 1;
  }
  for (let i = 0; i < rowCount; i++) rowPtr[i + 1] += rowPtr[i];
  return { pattern: { rows: rowCount, cols: colCount, rowPtr, colIdx: Int32Array.from(colIdx) }, slots };
};

/** The number of entries of a pattern. */
export const nonZeros = (pattern: CsrPattern): number => pattern.colIdx.length;
