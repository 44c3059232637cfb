import type { CsrPattern } from '@filigree/sparse/formats';

/** The number of terms of each entry of a row of a product, for one row after the other. */
export interface RowCounts {
  readonly count: (row: number) => void;
  /** Of each column of the row its place among the entries of the row. */
  readonly slotOf: Int32Array;
  /** By place. */
  readonly counts: Int32Array;
  /** Of all entries of the product, by entry. */
  readonly all: () => Int32Array;
  /** Entries that the longest row has. */
  readonly most: number;
}

export const rowCounts = ({ rows, cols, rowPtr, colIdx }: CsrPattern, a: CsrPattern, b: CsrPattern): RowCounts => {
  let most = 0;
  for (let i = 0; i < rows; i++) most = Math.max(most, rowPtr[i + 1] - rowPtr[i]);
  const slotOf = new Int32Array(cols);
  const counts = new Int32Array(most);
  const count = (i: number): void => {
    for (let e = rowPtr[i], s = 0; e < rowPtr[i + 1]; e++, s++) {
      slotOf[colIdx[e]] = s;
      counts[s] = 0;
    }
    for (let p = a.rowPtr[i]; p < a.rowPtr[i + 1]; p++)
      for (let q = b.rowPtr[a.colIdx[p]]; q < b.rowPtr[a.colIdx[p] + 1]; q++) counts[slotOf[b.colIdx[q]]]++;
  };
  const all = (): Int32Array => {
    const found = new Int32Array(colIdx.length);
    for (let i = 0; i < rows; i++) {
      count(i);
      found.set(counts.subarray(0, rowPtr[i + 1] - rowPtr[i]), rowPtr[i]);
    }
    return found;
  };
  return { count, slotOf, counts, all, most };
};
