/**
 * The hash of a cell, whose low bits say where a search in a hash table begins. Kernels compute the same number. Four
 * neighbours along the last axis share a cache line of slots, with gaps between them; lines are scattered.
 *
 * @param coordinates i32, in the index space of the node's cells
 */
export const hashOf = (coordinates: readonly number[]): number => {
  const last = coordinates[coordinates.length - 1];
  const h = [...coordinates.slice(0, -1), last >> 2].reduce((x, c) => {
    const product = Math.imul(x ^ c, HASH_FACTOR);
    return product ^ (product >>> HASH_SHIFT);
  }, 0);
  return (h & ~15) | (((last & 3) << 2) ^ (h >>> 28));
};

/** 2³² divided by the golden ratio, as an i32. */
export const HASH_FACTOR = 0x9e3779b1 | 0;

/** High bits, into which the product mixes all others, come down by so many. */
export const HASH_SHIFT = 15;
