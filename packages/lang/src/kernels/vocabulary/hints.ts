import { fail } from '@filigree/ir';
import { coordinatesOf, type Place } from './places.js';
import type { Vec } from './vec-types.js';

/**
 * Hint, first in a loop over active elements: keeps the part of these fields that a block of elements uses in a
 * scratchpad.
 */
export const cache = (...fields: readonly object[]): void => void fields;

/** Hint: read these fields through the small cache nearest to the processor where there is a choice. */
export const cacheL1 = (...fields: readonly object[]): void => void fields;

/**
 * `x`, with the promise that `lo ≤ x − base < hi`, from which the size of scratchpads follows; of a vector each element with
 * that of its base. Throws `lang/assume-in-range` on the host where the promise is broken.
 */
export function assumeInRange(x: number, base: number, lo: number, hi: number): number;
export function assumeInRange<N extends 2 | 3 | 4>(x: Vec<N>, base: Place<N>, lo: number, hi: number): Vec<N>;
export function assumeInRange(x: number | Vec, base: unknown, lo: number, hi: number): number | Vec {
  const bases = coordinatesOf(base);
  coordinatesOf(x).forEach((element, axis) => checkPromise(element, bases[axis], lo, hi));
  return x;
}

/**
 * `x`, with the promise that over all iterations of the outermost loop around it is each of the numbers from 0 to n − 1 once: a loop
 * over a permutation of particles touches elements of its own, so that it can run as one with another over the same. On the host, and
 * with `debug`, `0 ≤ x < n` is checked (`lang/assume-in-range`).
 */
export const permutation = (x: number, n: number): number => {
  checkPromise(x, 0, 0, n);
  return x;
};

const checkPromise = (x: number, base: number, lo: number, hi: number): void => {
  if (!(lo <= x - base && x - base < hi))
    fail('lang/assume-in-range', `${x} − ${base} was promised to lie in ${lo} … ${hi - 1}`);
};
