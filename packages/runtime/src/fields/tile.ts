import type { TypedArray } from '@filigree/ir';
import type { IndexBox as Box } from '@filigree/sparse/fields';
import { elementAt, type Component } from './component.js';
import type { Strided } from './strided.js';

/** Elements of a box that lie in memory by a fixed number of bytes from one to the next along each axis. */
export interface Tile {
  /** The elements: from `from`, below `to`, along each axis. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Address of the cell at `from`. */
  readonly cell: number;
  /** Bytes from a cell to the next along each axis. */
  readonly steps: readonly number[];
}

/** The elements of a tile, those of one component. */
export const stridedTile = ({ steps, cell }: Tile, component: Component): Strided => ({
  array: component.array,
  first: elementAt(component, cell),
  steps: steps.map((step) => step / component.bytes),
});

/** The same elements in a dense array of a box: the component `n` of `count` that stand side by side there. */
export const stridedInBox = (array: TypedArray, { from }: Tile, box: Box, n: number, count: number): Strided => {
  const steps = from.map(() => count);
  for (let a = from.length - 2; a >= 0; a--) steps[a] = steps[a + 1] * (box.to[a + 1] - box.from[a + 1]);
  return { array, first: from.reduce((at, x, a) => at + (x - box.from[a]) * steps[a], n), steps };
};

/** Sides of a tile. */
export const sidesOfTile = ({ from, to }: Tile): readonly number[] => from.map((x, a) => to[a] - x);
