import { align } from './align.js';
import { LINE } from './lots.js';

/** Places that lie so far apart share sets of the nearest cache, and processors take one for the other until they know better. */
const PAGE = 4096;

/** Smaller ones are mostly in caches whole, and what is left free would be a good part of them. */
const LARGE = 1 << 15;

const HOP = 19 * LINE;

/**
 * Where the containers of the root's cell begin, one after the other. Arrays of a power of two of elements would all begin at the same place of a page: what kernels read and write at one index of several would have a few lines of the cache for itself, and loads would wait for stores to other arrays.
 * So large ones begin at 19 lines of their page more each, which 64 have gone through before one comes again: a lattice-Boltzmann step on 18 fields of 512 × 512 takes less than half of the time.
 */
export const staggered = (): ((from: number, bytes: number, alignment: number) => number) => {
  let next = 0;
  return (from, bytes, alignment) => {
    if (bytes < LARGE) return align(from, alignment);
    const at = align(from, LINE);
    const start = at + ((((next - at) % PAGE) + PAGE) % PAGE);
    next = (start + HOP) % PAGE;
    return start;
  };
};
