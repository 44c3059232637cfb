/**
 * The hash of a cell, whose low bits say where a search in a hash table begins. Kernels compute the same number. Four
 * neighbours along the last axis share a cache line of slots, with gaps between them; lines are scattered.
 *
 * @param coordinates i32, in the index space of the node's cells
 */
export const hashOf = (coordinates: readonly number[]): number => {
  const end = coordinates.length - 1;
  const last = coordinates[end];
  let h = 0;
  for (let a = 0; a <= end; a++) {
    const product = Math.imul(h ^ (a < end ? coordinates[a] : last >> 2), HASH_FACTOR);
    h = product ^ (product >>> HASH_SHIFT);
  }
  return (h & ~15) | (((last & 3) << 2) ^ (h >>> 28));
};

/** 2³² divided by the golden ratio, as an i32. */
export const HASH_FACTOR = 0x9e3779b1 | 0;

/** High bits, into which the product mixes all others, come down by so many. */
export const HASH_SHIFT = 15;
