import { type BooleanTensor, boundingBox, fullPattern } from '@filigree/sparse/eqspp';
import type { TensorDecl } from '../notation/expression.js';
import { denseLayout } from './dense-layout.js';
import type { CompressedLayout, CscLayout, Interval, Layout } from './layout.js';

/**
 * How a tensor of the caller lies in memory (§4.4): as declared, otherwise column-major within the bounding box of its
 * pattern. Depends on nothing but the declaration and the vector length, so that all kernels agree on it.
 *
 * @param lanes elements of a vector, for tensors that are declared `aligned`
 */
export const tensorLayout = (tensor: TensorDecl, lanes: number): Layout => {
  const pattern = tensor.pattern ?? fullPattern(tensor.shape);
  switch (tensor.layout) {
    case 'dense':
      return denseLayout(tensor.shape.map((n): Interval => [0, n]));
    case 'aligned':
      return denseLayout(boundingBox(pattern), lanes);
    case 'csc':
      return cscLayout(pattern);
    case 'compressed':
      return compressedLayout(pattern);
    case 'box':
    default:
      return denseLayout(
        tensor.pattern === undefined ? tensor.shape.map((n): Interval => [0, n]) : boundingBox(pattern),
      );
  }
};

/** A matrix by columns, with the entries of its pattern only (§4.4.2). */
export const cscLayout = ({ shape, bits }: BooleanTensor): CscLayout => {
  const [rows, columns] = shape;
  const columnStart = new Int32Array(columns + 1);
  const stored: number[] = [];
  for (let j = 0; j < columns; j++) {
    for (let i = 0; i < rows; i++) if (bits[i + rows * j] === 1) stored.push(i);
    columnStart[j + 1] = stored.length;
  }
  return { kind: 'csc', shape: [rows, columns], columnStart, rows: Int32Array.from(stored), size: stored.length };
};

/** A tensor of any order with the entries of its pattern only, column-major. */
export const compressedLayout = ({ shape, bits }: BooleanTensor): CompressedLayout => {
  const position = new Int32Array(bits.length);
  let size = 0;
  for (let e = 0; e < bits.length; e++) position[e] = bits[e] === 1 ? size++ : -1;
  return { kind: 'compressed', shape, position, size };
};

/** Where an entry lies, or −1 where it is not stored; `entry` counts from 0 in every dimension. */
export const positionIn = (layout: Layout, entry: readonly number[]): number => {
  if (layout.kind === 'dense') {
    let at = 0;
    for (let d = 0; d < entry.length; d++) {
      const [start, stop] = layout.box[d];
      if (entry[d] < start || entry[d] >= stop) return -1;
      at += (entry[d] - start) * layout.strides[d];
    }
    return at;
  }
  if (layout.kind === 'csc') {
    const [i, j] = entry;
    const { columnStart, rows } = layout;
    for (let e = columnStart[j]; e < columnStart[j + 1]; e++) if (rows[e] === i) return e;
    return -1;
  }
  let at = 0;
  for (let d = entry.length - 1; d >= 0; d--) at = at * layout.shape[d] + entry[d];
  return layout.position[at];
};

/** Whether two layouts put the same entries in the same places. */
export const sameLayout = (a: Layout, b: Layout): boolean =>
  a === b ||
  (a.kind === 'dense' &&
    b.kind === 'dense' &&
    a.box.length === b.box.length &&
    a.end === b.end &&
    a.box.every(([start, stop], d) => start === b.box[d][0] && stop === b.box[d][1]) &&
    a.strides.every((stride, d) => stride === b.strides[d])) ||
  (a.kind === 'compressed' && b.kind === 'compressed' && sameNumbers(a.position, b.position)) ||
  (a.kind === 'csc' && b.kind === 'csc' && sameNumbers(a.rows, b.rows) && sameNumbers(a.columnStart, b.columnStart));

const sameNumbers = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((x, e) => x === b[e]);
