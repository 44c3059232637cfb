import type { Csr } from 'filigree';

/** A vector as a matrix of one column, of zeros. */
export const columnOf = (size: number): Csr<Float64Array> => ({
  pattern: {
    rows: size,
    cols: 1,
    rowPtr: Int32Array.from({ length: size + 1 }, (_, k) => k),
    colIdx: new Int32Array(size),
  },
  values: new Float64Array(size),
});
