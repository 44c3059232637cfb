import type { CsrPattern } from '@filigree/sparse/formats';

/** In how many scalar products of A·B an entry stands, of the left and of the right factor. */
export const usesOfEntries = (
  a: CsrPattern,
  b: CsrPattern,
): { readonly left: (entry: number) => number; readonly right: (entry: number) => number } => {
  const inColumn = new Int32Array(a.cols);
  for (const k of a.colIdx) inColumn[k]++;
  let row = 0;
  return {
    left: (p) => b.rowPtr[a.colIdx[p] + 1] - b.rowPtr[a.colIdx[p]],
    /* Entries are asked for one after the other. */
    right: (q) => {
      if (q < b.rowPtr[row]) row = 0;
      while (q >= b.rowPtr[row + 1]) row++;
      return inColumn[row];
    },
  };
};
