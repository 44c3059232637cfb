import { fail } from '@filigree/ir';
import type { CsrPattern } from './csr.js';

/**
 * A picture of a pattern: a raster of `size × size` bytes, row by row. A pixel is 0 where no entry falls, else 1 to 255
 * in proportion to the entries that fall on it, 255 at the densest pixel. The longer side of the matrix spans the
 * raster and the shorter one keeps its proportion, at the top left; a matrix smaller than the raster is magnified.
 * Throws `DiagnosticError`: `spy/size` unless 1 ≤ size ≤ 16384.
 */
export const spy = (p: CsrPattern, size: number): Uint8Array => {
  if (!Number.isInteger(size) || size < 1 || size > 16384) {
    fail('spy/size', `a raster cannot be ${size} pixels wide`, { remedy: 'give a whole number from 1 to 16384' });
  }
  const extent = Math.max(p.rows, p.cols, 1);
  const counts = new Uint32Array(size * size);
  let most = 0;
  for (let i = 0; i < p.rows; i++) {
    const top = firstPixel(i, size, extent);
    const bottom = Math.max(top + 1, firstPixel(i + 1, size, extent));
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++) {
      const left = firstPixel(p.colIdx[e], size, extent);
      const right = Math.max(left + 1, firstPixel(p.colIdx[e] + 1, size, extent));
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) most = Math.max(most, ++counts[y * size + x]);
      }
    }
  }
  const out = new Uint8Array(size * size);
  for (let t = 0; t < out.length; t++) out[t] = Math.ceil((255 * counts[t]) / Math.max(1, most));
  return out;
};

const firstPixel = (i: number, size: number, extent: number): number => Math.floor((i * size) / extent);
