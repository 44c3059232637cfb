import { fail, type TypedArray } from '@filigree/ir';
import type { IndexBox as Box } from '@filigree/sparse/fields';
import type { Indices } from '../indices.js';

/** The elements of a field, as its memory has them: what the host asks for is found, made active, and copied. Indices are checked before. */
export interface Elements {
  /** Address of the cell that holds a component, by its number, of the element at these indices; −1 where it is not active. */
  readonly find: (component: number, at: ArrayLike<number>) => number;
  /** The same, activated with all around it where it is not active. Error: `field/exhausted`. */
  readonly grow: (component: number, at: ArrayLike<number>) => number;
  /** Deactivates the innermost sparse cell around an element. Error: `field/in-list`. */
  readonly drop: (at: ArrayLike<number>) => void;
  /** Deactivates everything around the field. */
  readonly dropAll: () => void;
  /** The lists in which elements lie. Error: `field/no-list`. */
  readonly list: () => ListAccess;
  /** Writes a value of each component into all active elements. */
  readonly fill: (values: readonly (number | bigint)[]) => void;
  /** What is made of each active element: of the cell of its first component, and of its indices, a list of its own. */
  readonly each: <A>(make: (cell: number, indices: readonly number[]) => A) => Iterable<A>;
  /** The smallest box that holds all active elements; `undefined` where none is active. */
  readonly bounds: () => Box | undefined;
  /** The values of a box, row by row, components last, in an array that is given or a new one. */
  readonly read: (box: Box, into?: TypedArray) => TypedArray;
  /** Writes them, in that form, and activates the elements of the box. */
  readonly write: (values: TypedArray, box: Box) => void;
}

/** The lists in which a field's elements lie, one for each cell around them. */
export interface ListAccess {
  readonly length: (list: Indices) => number;
  readonly clear: (list: Indices) => void;
  /** Makes a cell at the end of a list: its address, its place, and its indices. Errors: `field/no-list`, `field/list-full`. */
  readonly append: (list: Indices) => readonly [cell: number, place: number, indices: readonly number[]];
}

/** Refuses what only lists can do. */
export const noList = (name: string, where: 'lists' | 'one list'): never =>
  fail('field/no-list', `field '${name}' does not lie in ${where}`, {
    remedy: 'place it below one dynamic(), or use set()',
  });
