import { fail } from '@filigree/ir';
import type { GridElement } from './grid-types.js';
import { hostFunction } from './inline.js';
import { copied, heldLike, isMat, isVec, placed } from './vec.js';

/** What `hostGrid` fills with: a value, or a function of the indices. */
export type Fill<E, I extends readonly number[]> = E | ((...at: I) => E);

function makeHostGrid<E extends Entry>(extents: readonly [number], fill: Fill<E, [number]>): Wide<E>[];
function makeHostGrid<E extends Entry>(
  extents: readonly [number, number],
  fill: Fill<E, [number, number]>,
): Wide<E>[][];
function makeHostGrid<E extends Entry>(
  extents: readonly [number, number, number],
  fill: Fill<E, [number, number, number]>,
): Wide<E>[][][];
function makeHostGrid<E extends Entry>(
  extents: readonly [number, number, number, number],
  fill: Fill<E, [number, number, number, number]>,
): Wide<E>[][][][];
function makeHostGrid(extents: readonly number[], fill: Fill<Entry, number[]>): unknown {
  if (!Array.isArray(extents)) fail('lang/host-grid', 'the extents of a grid are a list');
  for (const n of extents)
    if (!Number.isInteger(n) || n < 0) fail('lang/host-grid', `an extent is a whole number, not ${n}`);
  if (extents.length === 0) fail('lang/host-grid', 'a grid has at least one axis');
  const value = typeof fill === 'function' ? fill : () => fill;
  const build = (at: readonly number[]): unknown =>
    at.length === extents.length
      ? value(...at)
      : row(Array.from({ length: extents[at.length] }, (_, k) => build([...at, k])));
  return build([]);
}

/**
 * A dense grid on the host: nested arrays, filled with a value or with a function of the indices. A grid of lists is
 * `hostGrid([n, m], () => [])`. Throws `lang/host-grid` on extents that are no whole numbers.
 */
export const hostGrid = hostFunction('hostGrid', makeHostGrid);

/** A row of vectors or matrices holds values of its own: what is assigned to components of one is assigned to the row. */
const row = (elements: unknown[]): unknown[] => {
  const [first] = elements;
  if (!isVec(first) && !isMat(first)) return elements;
  return new Proxy(elements.map(copied), {
    get: (target, key, receiver) =>
      placed(Reflect.get(target, key, receiver) as unknown, (changed) => Reflect.set(target, key, changed)),
    set: (target, key, value) => Reflect.set(target, key, heldLike(first, value)),
  });
};

type Entry = GridElement | GridElement[];
type Wide<E> = E extends number ? number : E extends boolean ? boolean : E;
