import { fail } from '@filigree/ir';
import { isArrayLike } from './active.js';
import { coordinatesOf, type Place } from './places.js';
import type { Grid1, Grid2, Grid3, Grid4 } from './grid-types.js';
import { sparsePart } from './sparse-part.js';
import type { Mat, Vec } from './vec-types.js';

/**
 * Reads and writes one element with no other iteration in between: takes the field, the indices and the operand, and
 * returns the value before; a place, as a loop or a vector gives it, serves for the indices. (A number does not know where it was read from, so the element is named by its indices. For
 * sums whose previous value does not matter write `u[i][j] += x`, which is atomic in a parallel loop.)
 */
export interface Atomic {
  (u: Grid1, i: number, value: number): number;
  (u: Grid2, i: number, j: number, value: number): number;
  (u: Grid3, i: number, j: number, k: number, value: number): number;
  (u: Grid4, i: number, j: number, k: number, l: number, value: number): number;
  (u: Grid2, place: Place<2>, value: number): number;
  (u: Grid3, place: Place<3>, value: number): number;
  (u: Grid4, place: Place<4>, value: number): number;
}

const atomic = (after: (before: number, value: number) => number): Atomic =>
  ((u: object, ...rest: unknown[]) => {
    const value = rest[rest.length - 1] as number;
    return update<number>(u, rest.slice(0, -1).flatMap(coordinatesOf), (before) => after(before, value));
  }) as Atomic;

/** Adds the operand. */
export const atomicAdd: Atomic = atomic((a, b) => a + b);
/** Keeps the smaller one. */
export const atomicMin: Atomic = atomic((a, b) => Math.min(a, b));
/** Keeps the larger one. */
export const atomicMax: Atomic = atomic((a, b) => Math.max(a, b));
/** Combines the bits by “and”. */
export const atomicAnd: Atomic = atomic((a, b) => a & b);
/** Combines the bits by “or”. */
export const atomicOr: Atomic = atomic((a, b) => a | b);
/** Combines the bits by “exclusive or”. */
export const atomicXor: Atomic = atomic((a, b) => a ^ b);
/** Stores the operand. */
export const atomicExchange: Atomic = atomic((_, b) => b);

/**
 * `x[p] += v` for vectors and matrices: adds to every component, each atomically: `accumulate(x, p, v)`, also at a place of
 * several axes. Numbers are added the same way, so that a place serves them too.
 */
export function accumulate<E extends Addable>(x: Grid1<E>, place: Place<1>, v: E): void;
export function accumulate<E extends Addable>(x: Grid2<E>, place: Place<2>, v: E): void;
export function accumulate<E extends Addable>(x: Grid3<E>, place: Place<3>, v: E): void;
export function accumulate<E extends Addable>(x: Grid4<E>, place: Place<4>, v: E): void;
export function accumulate<E extends Addable>(x: Grid2<E>, i: number, j: number, v: E): void;
export function accumulate<E extends Addable>(x: Grid3<E>, i: number, j: number, k: number, v: E): void;
export function accumulate<E extends Addable>(x: Grid4<E>, i: number, j: number, k: number, l: number, v: E): void;
export function accumulate(x: object, ...rest: unknown[]): void {
  const value = rest[rest.length - 1] as number | Vec;
  update<number | Vec>(x, rest.slice(0, -1).flatMap(coordinatesOf), (before) =>
    typeof before === 'number' ? before + (value as number) : before.add(value as Vec),
  );
}

type Addable = number | Vec | Mat;

const update = <E>(u: object, indices: readonly number[], change: (before: E) => E): E => {
  let row = u as Record<number, unknown>;
  for (const index of indices.slice(0, -1)) row = inside(row, index)[index] as Record<number, unknown>;
  const last = indices[indices.length - 1];
  const before = inside(row, last)[last] as E;
  row[last] = change(before);
  return before;
};

/** The row itself, once it is sure that it has this index; sparse grids check for themselves. */
const inside = (row: Record<number, unknown>, index: number): Record<number, unknown> =>
  sparsePart(row) || (isArrayLike(row) && index in row)
    ? row
    : fail('lang/host-bounds', `there is no element at index ${index}`, {
        remedy: 'make the grid larger, or test the index',
      });
