import { fail } from '@filigree/ir';

/** Hint, first in a loop over active elements: the part of this field that a block of them uses is kept in a scratchpad. */
export const cache = (u: object): void => void u;

/** Hint: read this field through the small cache nearest to the processor where there is a choice. */
export const cacheL1 = (u: object): void => void u;

/**
 * `x`, with the promise that `lo ≤ x − base < hi`, from which the size of scratchpads follows. Throws
 * `lang/assume-in-range` on the host where the promise is broken.
 */
export const assumeInRange = (x: number, base: number, lo: number, hi: number): number =>
  lo <= x - base && x - base < hi
    ? x
    : fail('lang/assume-in-range', `${x} − ${base} was promised to lie in ${lo} … ${hi - 1}`);
