import { fail, checkOptions, option } from '@filigree/ir';
import type { GridElement, Grid1, Grid2, Grid3, Grid4, Indexed } from './grid-types.js';
import { hostFunction } from './inline.js';
import { noteSparsePart, sparsePart, type SparsePart } from './sparse-part.js';
import { heldLike, placed } from './vec.js';
import { Shared, SparseStore, type SparseExtent } from './sparse-store.js';

/** How a sparse grid on the host becomes active. */
export interface SparseGridOptions {
  /**
   * Elements along each axis of the cells that become active as a whole, the innermost cells first; a number counts along
   * every axis. One element a cell unless said otherwise. `[4, 16]` is the host's picture of `pointer` over `pointer` over
   * `dense`: cells of 16 hold cells of 4, which hold elements.
   */
  readonly cells?: readonly (number | readonly number[])[];
  /** A sparse grid of the same shape whose cells these are too, as of fields that are placed side by side. */
  readonly beside?: object;
}

function makeSparseGrid<E extends GridElement>(
  extents: Extents<1>,
  ambient: E,
  options?: SparseGridOptions,
): Grid1<Wide<E>>;
function makeSparseGrid<E extends GridElement>(
  extents: Extents<2>,
  ambient: E,
  options?: SparseGridOptions,
): Grid2<Wide<E>>;
function makeSparseGrid<E extends GridElement>(
  extents: Extents<3>,
  ambient: E,
  options?: SparseGridOptions,
): Grid3<Wide<E>>;
function makeSparseGrid<E extends GridElement>(
  extents: Extents<4>,
  ambient: E,
  options?: SparseGridOptions,
): Grid4<Wide<E>>;
function makeSparseGrid(extents: readonly SparseExtent[], ambient: GridElement, options?: SparseGridOptions): object {
  const { cells = [1], beside } = checkOptions<SparseGridOptions>('sparseGrid', options, {
    cells: option.array('a list of sizes'),
    beside: option.object('a sparse grid'),
  });
  if (!Array.isArray(extents)) fail('lang/host-grid', 'the extents of a grid are a list');
  extents.forEach((extent, axis) => checkExtent(extent, axis === extents.length - 1));
  const axes = extents.filter((e) => typeof e === 'number').length;
  if (axes === 0) fail('lang/host-grid', 'a sparse grid has an axis besides its list');
  if (beside === undefined) {
    const sizes = cells.map((size) => (typeof size === 'number' ? new Array<number>(axes).fill(size) : size));
    checkCells(sizes, axes);
    return partOf(new SparseStore(extents, ambient, new Shared(sizes)), [], 0);
  }
  const other = sparsePart(beside)?.store;
  if (!other || JSON.stringify(other.extents) !== JSON.stringify(extents))
    return fail('lang/host-grid', 'a grid lies beside a sparse grid of the same extents only');
  return partOf(new SparseStore(extents, ambient, other.shared), [], 0);
}

/**
 * A sparse grid on the host: `g[i][j]` is the ambient value where nothing is active, and writing activates. An extent of
 * `Infinity` allows every index, negative ones too; the last extent may be a list, `{ most: 64 }`. Indices outside
 * are `lang/host-bounds`. Throws `lang/host-grid` on extents or cells that make no grid.
 */
export const sparseGrid = hostFunction('sparseGrid', makeSparseGrid);

/** The same grid, speaking of the cells so many levels further out. Throws `lang/host-grid` where there is no such level. */
const outerCells = ({ store, prefix, level }: Pick<SparsePart, 'store' | 'prefix' | 'level'>, steps: number): object =>
  Number.isInteger(steps) && steps >= 0 && level + steps < store.activity.levels
    ? partOf(store, prefix, level + steps)
    : fail('lang/host-grid', `the grid has ${store.activity.levels} levels of cells, none ${steps} further out`, {
        remedy: 'list the sizes of outer cells in `cells`',
      });

type Extents<N extends number> = N extends 1
  ? readonly [number]
  : N extends 2
    ? readonly [number, SparseExtent]
    : N extends 3
      ? readonly [number, number, SparseExtent]
      : readonly [number, number, number, SparseExtent];

type Wide<E> = E extends number ? number : E extends boolean ? boolean : E;

const partOf = (store: SparseStore, prefix: readonly number[], level: number): object => {
  const last = prefix.length + 1 === store.extents.length;
  const proxy: object = new Proxy(
    {},
    {
      get(_, key) {
        if (key === 'length') return endOf(store, prefix);
        if (key === Symbol.iterator) return () => rowsOf(proxy as Indexed<unknown>);
        const index = indexOf(key);
        if (index === undefined) return undefined;
        const at = [...prefix, index];
        if (last) return placed(store.read(at), (changed) => store.write(at, changed));
        store.check(at);
        return partOf(store, at, 0);
      },
      set(_, key, value: GridElement) {
        const index = indexOf(key);
        if (index === undefined || !last)
          return fail(
            'lang/host-bounds',
            `a sparse grid of ${store.extents.length} axes is not assigned to at '${String(key)}'`,
          );
        store.write([...prefix, index], heldLike(store.ambient, value));
        return true;
      },
    },
  );
  const part = { store, prefix, level };
  noteSparsePart(proxy, { ...part, outer: (steps) => outerCells(part, steps) });
  return proxy;
};

/** How many indices there are along the next axis. */
const endOf = ({ extents }: SparseStore, { length }: readonly number[]): number => {
  const extent = extents[length];
  return typeof extent === 'number' && Number.isFinite(extent)
    ? extent
    : fail(
        'lang/host-bounds',
        typeof extent === 'number' ? 'a grid without bounds has no length' : 'a list has its length elsewhere',
        { remedy: typeof extent === 'number' ? 'loop over active(u)' : 'write length(u[i])' },
      );
};

function* rowsOf<E>(grid: Indexed<E>): Generator<E> {
  for (let k = 0; k < grid.length; k++) yield grid[k];
}

/** Property names that are numbers are indices, whole or not; what prints or compares objects asks for others. */
const indexOf = (key: string | symbol): number | undefined =>
  typeof key === 'string' && String(Number(key)) === key ? Number(key) : undefined;

const checkExtent = (extent: SparseExtent, isLast: boolean): void => {
  const most = typeof extent === 'object' ? extent.most : extent;
  if (typeof extent === 'object' && !isLast) fail('lang/host-grid', 'only the last axis is a list');
  if (extent !== Infinity && !(Number.isInteger(most) && most > 0))
    fail('lang/host-grid', `an extent is a positive whole number or Infinity, not ${most}`);
};

const checkCells = (sizes: readonly (readonly number[])[], axes: number): void => {
  if (sizes.length === 0) fail('lang/host-grid', 'a sparse grid has cells');
  sizes.forEach((size, level) => {
    if (size.length !== axes || !size.every((n) => Number.isInteger(n) && n > 0))
      fail('lang/host-grid', `cells of a grid of ${axes} axes have ${axes} positive sizes, not ${size.join(' × ')}`);
    if (level > 0 && size.some((n, axis) => n % sizes[level - 1][axis] !== 0))
      fail('lang/host-grid', `cells of ${size.join(' × ')} do not hold whole cells of ${sizes[level - 1].join(' × ')}`);
  });
};
