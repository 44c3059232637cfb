import { f64 } from './casts.js';
import { inlined } from './inline.js';
import type { LoopSpace } from './loops.js';
import type { Mat, Vec } from './vec-types.js';

/**
 * The sum of numbers, vectors or matrices, one for each index of a range, each active element or each item of a list:
 * `sum(active(u), ([i, j]) => u[i][j] ** 2)`. Outermost in a kernel it is a parallel loop over numbers, added in f64, with a sum of
 * each thread for itself; elsewhere terms are added in their own type. Over what is unrolled it is written out. A sum of
 * nothing is 0.
 */
export function sum<T>(space: Iterable<T>, term: (at: T) => number): number;
export function sum<T, N extends number>(space: Iterable<T>, term: (at: T) => Vec<N>): Vec<N>;
export function sum<T, R extends number, C extends number>(space: Iterable<T>, term: (at: T) => Mat<R, C>): Mat<R, C>;
export function sum<T>(space: Iterable<T>, term: (at: T) => number | Vec | Mat): number | Vec | Mat {
  let total: number | Vec | Mat | undefined;
  for (const at of space) total = plus(total, term(at));
  return total ?? 0;
}

/* Numbers are added to 0, as loops in kernels do: a sum of −0 alone is 0. */
const plus = (a: number | Vec | Mat | undefined, b: number | Vec | Mat): number | Vec | Mat => {
  if (typeof b === 'number') return ((a as number | undefined) ?? 0) + b;
  return a === undefined ? b : (a as Vec).add(b as Vec);
};

/* Names that nothing else in this package has, since bundlers rewrite those of imports. */
const inDoublePrecision = f64;

type Numbers = <T extends number | readonly number[]>(space: LoopSpace<T>, term: (at: T) => number) => number;

/** A sum as a parallel loop. */
export const parallelSum = inlined<Numbers>(
  (space, term) => {
    let total = inDoublePrecision(0);
    for (const at of space) total += inDoublePrecision(term(at));
    return total;
  },
  { inDoublePrecision },
);

/** A sum as a loop in sequence. */
export const serialSum = inlined<Numbers>((space, term) => {
  let total = 0;
  for (const at of space) total += term(at);
  return total;
});
