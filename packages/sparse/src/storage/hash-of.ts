/**
 * Where a search for a cell begins in a hash table: the low bits of this number. Kernels compute the same.
 *
 * @param coordinates i32, in the index space of the node's cells
 */
export const hashOf = (coordinates: readonly number[]): number => {
  let h = 0;
  for (const c of coordinates) h = Math.imul(h ^ c, HASH_FACTOR);
  return h ^ (h >>> HASH_SHIFT);
};

/** 2³² divided by the golden ratio, as an i32. */
export const HASH_FACTOR = 0x9e3779b1 | 0;

/** High bits, into which the product mixes all others, come down by so many. */
export const HASH_SHIFT = 15;
