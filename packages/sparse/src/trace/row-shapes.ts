import type { CsrPattern } from '../formats/patterns/csr.js';

/** Rows by their columns relative to the diagonal. */
export interface RowShapes {
  /** The shape of each row, numbered by first appearance; empty rows are of shape −1. */
  readonly shapeOf: Int32Array;
  /** The first row of each shape. */
  readonly first: readonly number[];
}

/** Which rows have the same columns relative to `origin(row)`, by default the row's own number. Linear time. */
export const rowShapes = (p: CsrPattern, origin: (row: number) => number = (row) => row): RowShapes => {
  const shapeOf = new Int32Array(p.rows).fill(-1);
  const first: number[] = [];
  const buckets = new Map<number, number[]>();
  for (let i = 0; i < p.rows; i++) {
    const length = p.rowPtr[i + 1] - p.rowPtr[i];
    if (length === 0) continue;
    let h = length;
    for (let e = p.rowPtr[i]; e < p.rowPtr[i + 1]; e++)
      h = Math.imul(h ^ (p.colIdx[e] - origin(i)), 0x9e3779b1) ^ (h >>> 15);
    const bucket = buckets.get(h) ?? [];
    if (bucket.length === 0) buckets.set(h, bucket);
    let shape = bucket.find((s) => sameShape(p, i, first[s], origin));
    if (shape === undefined) {
      shape = first.length;
      first.push(i);
      bucket.push(shape);
    }
    shapeOf[i] = shape;
  }
  return { shapeOf, first };
};

const sameShape = (p: CsrPattern, a: number, b: number, origin: (row: number) => number): boolean => {
  const length = p.rowPtr[a + 1] - p.rowPtr[a];
  if (p.rowPtr[b + 1] - p.rowPtr[b] !== length) return false;
  const shift = origin(a) - origin(b);
  for (let k = 0; k < length; k++) if (p.colIdx[p.rowPtr[a] + k] - p.colIdx[p.rowPtr[b] + k] !== shift) return false;
  return true;
};
