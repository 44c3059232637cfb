import { f64 } from './casts.js';
import { inlined } from './inline.js';
import type { LoopSpace } from './loops.js';

/* Names that nothing else in this package has, since bundlers rewrite those of imports. */
const inDoublePrecision = f64;

/**
 * The sum of a number for each index of a range or each active element, in f64: `sum(active(u), ([i, j]) => u[i][j] ** 2)`.
 * Outermost in a kernel it is a parallel loop, with a sum of each thread for itself.
 */
export const sum = inlined(
  <T extends number | readonly number[]>(space: LoopSpace<T>, term: (at: T) => number): number => {
    let total = inDoublePrecision(0);
    for (const at of space) total += inDoublePrecision(term(at));
    return total;
  },
  { inDoublePrecision },
);
