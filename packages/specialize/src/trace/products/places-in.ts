import type { CsrPattern } from '@filigree/sparse/formats';
import { countFrom } from '../count-from.js';

/** Where the entries of a pattern stand among those of one that has them all. */
export const placesIn = (part: CsrPattern, whole: CsrPattern): Int32Array => {
  if (part.colIdx.length === whole.colIdx.length) return countFrom(0, part.colIdx.length);
  const at = new Int32Array(part.colIdx.length);
  for (let i = 0; i < part.rows; i++)
    for (let e = part.rowPtr[i], w = whole.rowPtr[i]; e < part.rowPtr[i + 1]; e++, w++) {
      while (whole.colIdx[w] !== part.colIdx[e]) w++;
      at[e] = w;
    }
  return at;
};
