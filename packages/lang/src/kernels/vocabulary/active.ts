import { fail } from '@filigree/ir';
import { sparsePart } from './sparse-part.js';

/**
 * Coordinates of the active elements of a grid of the host, as they are when this is called: what is there in a sparse grid,
 * all of nested arrays. Throws `lang/host-grid` on what is no grid.
 */
export const activeIn = (u: object): Iterable<readonly number[]> => {
  const part = sparsePart(u);
  if (!part) return everyElement(rowsOf(u, []));
  if (part.prefix.length > 0)
    fail('lang/host-grid', 'active() takes a whole sparse grid', { remedy: 'use range(length(…)) for one list' });
  return [...part.store.elements()];
};

/** Whether a value is an array with elements, plain or typed. */
export const isArrayLike = (value: unknown): value is ArrayLike<unknown> =>
  Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));

interface HostRow {
  readonly prefix: readonly number[];
  readonly length: number;
}

/* The lengths are taken first, so that a loop that appends to lists does not run into what it appended. */
const rowsOf = (u: unknown, prefix: readonly number[]): readonly HostRow[] => {
  if (!isArrayLike(u)) return fail('lang/host-grid', 'active() takes nested arrays or a sparse grid');
  if (u.length > 0 && isArrayLike(u[0])) return Array.from(u).flatMap((row, index) => rowsOf(row, [...prefix, index]));
  return [{ prefix, length: u.length }];
};

function* everyElement(rows: readonly HostRow[]): Generator<readonly number[], void, undefined> {
  for (const { prefix, length } of rows) for (let index = 0; index < length; index++) yield [...prefix, index];
}
