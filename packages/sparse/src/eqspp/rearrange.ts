import { type BooleanTensor, type IndexedPattern, volume } from './boolean-tensor.js';

/**
 * The pattern over other indices: dimensions in another order, those left out united (∃), so that `projectPattern(A_ij, 'i')`
 * says which rows hold anything. Every index of the result is one of the factor's.
 */
export const projectPattern = ({ indices, pattern }: IndexedPattern, result: string): BooleanTensor => {
  if (indices === result) return pattern;
  const shape = [...result].map((letter) => pattern.shape[indices.indexOf(letter)]);
  const bits = new Uint8Array(volume(shape));
  forEachPosition(indices, pattern.shape, stridesIn(result, shape), (e, at) => {
    bits[at] |= pattern.bits[e];
  });
  return { shape, bits };
};

/** How many entries the factor has for every value of some of its indices, column-major. */
export const countAlong = ({ indices, pattern }: IndexedPattern, result: string): Float64Array => {
  const shape = [...result].map((letter) => pattern.shape[indices.indexOf(letter)]);
  const counts = new Float64Array(volume(shape));
  forEachPosition(indices, pattern.shape, stridesIn(result, shape), (e, at) => {
    counts[at] += pattern.bits[e];
  });
  return counts;
};

/** The column-major stride of each letter. */
export const stridesIn = (indices: string, shape: readonly number[]): ReadonlyMap<string, number> => {
  const strides = new Map<string, number>();
  let stride = 1;
  for (let d = 0; d < indices.length; d++) {
    strides.set(indices[d], stride);
    stride *= shape[d];
  }
  return strides;
};

/** Walks a tensor in its own order, with the position that the same index values have under other strides. */
export const forEachPosition = (
  indices: string,
  shape: readonly number[],
  strides: ReadonlyMap<string, number>,
  visit: (entry: number, position: number) => void,
): void => {
  const order = indices.length;
  const step = [...indices].map((letter) => strides.get(letter) ?? 0);
  const size = volume(shape);
  const at = new Int32Array(order);
  let position = 0;
  for (let e = 0; e < size; e++) {
    visit(e, position);
    for (let d = 0; d < order; d++) {
      position += step[d];
      if (++at[d] < shape[d]) break;
      position -= step[d] * shape[d];
      at[d] = 0;
    }
  }
};
