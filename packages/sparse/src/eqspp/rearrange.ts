import { type BooleanTensor, type IndexedPattern, volume } from './boolean-tensor.js';

/**
 * The pattern over other indices: dimensions in another order, those left out united (∃), so that `projectPattern(A_ij, 'i')`
 * says which rows hold anything. Every index of the result is one of the factor's.
 */
export const projectPattern = ({ indices, pattern }: IndexedPattern, result: string): BooleanTensor => {
  if (indices === result) return pattern;
  const shape = [...result].map((letter) => pattern.shape[indices.indexOf(letter)]);
  const bits = new Uint8Array(volume(shape));
  const from = pattern.bits;
  const at = positionsOf(indices, pattern.shape, stridesIn(result, shape));
  for (let e = 0; e < from.length; e++) bits[at[e]] |= from[e];
  return { shape, bits };
};

/** How many entries the factor has for every value of some of its indices, column-major. */
export const countAlong = ({ indices, pattern }: IndexedPattern, result: string): Float64Array => {
  const shape = [...result].map((letter) => pattern.shape[indices.indexOf(letter)]);
  const counts = new Float64Array(volume(shape));
  const { bits } = pattern;
  const at = positionsOf(indices, pattern.shape, stridesIn(result, shape));
  for (let e = 0; e < bits.length; e++) counts[at[e]] += bits[e];
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

/** For each entry of a tensor in its own order, the position that the same index values have under other strides. */
export const positionsOf = (
  indices: string,
  shape: readonly number[],
  strides: ReadonlyMap<string, number>,
): Int32Array => {
  const positions = new Int32Array(volume(shape));
  let known = 1;
  // What is known of the dimensions so far is repeated along the next.
  shape.forEach((extent, d) => {
    const step = strides.get(indices[d]) ?? 0;
    for (let i = 1, e = known; i < extent; i++)
      for (let from = 0; from < known; from++) positions[e++] = positions[from] + i * step;
    known *= extent;
  });
  return positions;
};

/** The bits at some positions. */
export const pick = (bits: Uint8Array, at: Int32Array): Uint8Array => {
  const out = new Uint8Array(at.length);
  for (let e = 0; e < at.length; e++) out[e] = bits[at[e]];
  return out;
};
