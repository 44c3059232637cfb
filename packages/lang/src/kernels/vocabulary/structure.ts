import { fail } from '@filigree/ir';
import { isArrayLike } from './active.js';
import type { GridElement, Grid1, Grid2, Grid3, Grid4, Indexed } from './grid-types.js';
import { sparsePart, type SparsePart } from './sparse-part.js';

/**
 * A function of the cell around an element: takes the field, then the element's indices; those that the cell does not
 * depend on may be left out.
 */
export interface CellFunction<R> {
  <E extends GridElement>(u: Grid1<E>, i: number): R;
  <E extends GridElement>(u: Grid2<E>, i: number, j?: number): R;
  <E extends GridElement>(u: Grid3<E>, i: number, j?: number, k?: number): R;
  <E extends GridElement>(u: Grid4<E>, i: number, j?: number, k?: number, l?: number): R;
}

/** Whether the innermost sparse cell around an element is active; of a list with all indices given, whether the element is there. */
export const isActive: CellFunction<boolean> = (u: object, ...at: (number | undefined)[]): boolean => {
  const indices = given(at);
  const part = sparsePart(u);
  if (part) return part.store.isActive(part.level, cellIndices(part, indices));
  if (indices.length === 0) fail('lang/host-bounds', 'an element is named by its indices, and none are given');
  let inner: unknown = u;
  for (const index of indices) {
    if (!isArrayLike(inner) || !(index in inner)) return false;
    inner = inner[index];
  }
  return true;
};

/** Makes the innermost sparse cell around an element active; its elements have the ambient value. */
export const activate: CellFunction<void> = (u: object, ...at: (number | undefined)[]): void => {
  const part = sparsePart(u);
  if (part) part.store.activity.activate(part.level, cellIndices(part, given(at)).slice(0, part.store.outerAxes));
};

/** Makes the innermost sparse cell around an element inactive; on the host `lang/host-dense` for plain arrays. */
export const deactivate: CellFunction<void> = (u: object, ...at: (number | undefined)[]): void => {
  const part = sparsePart(u) ?? dense('deactivate');
  part.store.activity.deactivate(part.level, cellIndices(part, given(at)).slice(0, part.store.outerAxes));
};

/**
 * The field, standing in `isActive`, `activate` and `deactivate` for the sparse cell `steps` further out than the
 * innermost. On the host `lang/host-dense` for plain arrays.
 */
export const parent = <G extends object>(u: G, steps = 1): G => (sparsePart(u) ?? dense('parent')).outer(steps) as G;

/** Puts a value at the end of a list, `append(u[i][j], x)`, and gives its position. */
export const append = <E extends GridElement>(list: Indexed<E>, value: E): number => {
  const part = listPart(list);
  if (part) return part.store.append(part.prefix, value);
  return arrayList(list).push(value) - 1;
};

/** Number of elements of a list, `length(u[i][j])`. */
export const length = (list: Indexed<GridElement>): number => {
  const part = listPart(list);
  if (part) return part.store.length(part.prefix);
  return isArrayLike(list) ? list.length : notAList();
};

/** Empties a list, `clear(u[i][j])`; given a field, makes everything in it and in the fields beside it inactive. */
export const clear = (listOrField: object): void => {
  const part = sparsePart(listOrField);
  if (part?.prefix.length === 0) part.store.activity.clear();
  else if (part) part.store.empty(listPart(listOrField)!.prefix);
  else {
    const list = arrayList(listOrField);
    if (list.some(isArrayLike)) dense('clear');
    list.length = 0;
  }
};

const given = (at: readonly (number | undefined)[]): number[] => at.filter((index) => index !== undefined);

/** A cell is named by as many indices as there are axes around its list, at least; fewer would name several. */
const cellIndices = ({ store }: SparsePart, at: readonly number[]): readonly number[] => {
  const missing = store.outerAxes - at.length;
  if (missing > 0) fail('lang/host-bounds', `the grid has ${store.outerAxes} axes, and ${at.length} indices are given`);
  store.check(at);
  return at;
};

/** The list that a part of a sparse grid is; undefined for plain arrays. */
const listPart = (list: object): SparsePart | undefined => {
  const part = sparsePart(list);
  return part && !(part.store.isList && part.prefix.length === part.store.outerAxes) ? notAList() : part;
};

const arrayList = (list: object): unknown[] => (Array.isArray(list) ? list : notAList());

const notAList = (): never =>
  fail('lang/host-list', 'this is no list', {
    remedy: 'use an array of its own, or the last axis { most: n } of a sparse grid',
  });

const dense = (what: string): never =>
  fail('lang/host-dense', `${what} is for sparse grids, and every element of an array is active`, {
    remedy: 'make the grid with sparseGrid(…)',
  });
