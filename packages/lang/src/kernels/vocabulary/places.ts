import type { Grid1, Grid2, Grid3, Grid4 } from './grid-types.js';
import type { Vec } from './vec-types.js';

/** Indices of an element along so many axes: what a loop gives, or a vector. */
export type Place<N extends 1 | 2 | 3 | 4> = N extends 1
  ? number
  : N extends 2
    ? readonly [number, number] | Vec<2>
    : N extends 3
      ? readonly [number, number, number] | Vec<3>
      : readonly [number, number, number, number] | Vec<4>;

/**
 * The element at a place, `at(u, I)` for `u[i][j]` where `I` holds i and j: code for any number of axes, and for places that
 * are computed as vectors. Of a field with more axes, as `u[i]` is, the part at that place.
 */
export function at<E>(u: Grid1<E>, place: Place<1>): E;
export function at<E>(u: Grid2<E>, place: Place<2>): E;
export function at<E>(u: Grid3<E>, place: Place<3>): E;
export function at<E>(u: Grid4<E>, place: Place<4>): E;
export function at(u: object, place: unknown): unknown {
  return coordinatesOf(place).reduce<unknown>((row, index) => (row as Record<number, unknown>)[index], u);
}

/** Writes the element at a place, `put(u, I, x)` for `u[i][j] = x`. */
export function put<E>(u: Grid1<E>, place: Place<1>, value: E): void;
export function put<E>(u: Grid2<E>, place: Place<2>, value: E): void;
export function put<E>(u: Grid3<E>, place: Place<3>, value: E): void;
export function put<E>(u: Grid4<E>, place: Place<4>, value: E): void;
export function put(u: object, place: unknown, value: unknown): void {
  const coordinates = coordinatesOf(place);
  const last = coordinates.length - 1;
  const row = coordinates.slice(0, last).reduce<object>((r, index) => (r as Record<number, object>)[index], u);
  (row as Record<number, unknown>)[coordinates[last]] = value;
}

/** The indices of a place, one or several. */
export const coordinatesOf = (place: unknown): readonly number[] =>
  typeof place === 'number' ? [place] : [...(place as Iterable<number>)];
