import type { TypedArray } from '@filigree/ir';
import type { Arena } from './arena.js';
import { elementAt, type Component } from './component.js';
import { containers, type Box } from './elements.js';
import type { Path, Step } from './path.js';
import { growCell } from './structure.js';

/**
 * Elements that lie in one container of the innermost node, where that node is a plain array: found by one way down, from
 * one to the next by a fixed number of bytes along each axis.
 */
export interface Tile {
  /** The elements: from `from`, below `to`, along each axis. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** Address of the cell at `from`. */
  readonly cell: number;
  /** Bytes from a cell to the next along each axis. */
  readonly steps: readonly number[];
}

/** Whether the innermost node of a path is a plain array, so that there are tiles. */
export const hasTiles = ({ steps }: Path): boolean => {
  const { at } = steps[steps.length - 1];
  return !at.pool && at.mask === undefined && at.length === undefined && !at.node.morton;
};

/** Visits the tiles of the active elements of a path, within a box if one is given. Nothing may be activated meanwhile. */
export const activeTiles = function* (arena: Arena, path: Path, box?: Box): Generator<Tile> {
  const { steps, axes } = path;
  const last = steps[steps.length - 1];
  const sides = sidesOf(path);
  const bytes = bytesOf(last, axes.length);
  const start = axes.map(() => 0);
  for (const [container, origin] of containers(arena, steps, 0, arena.storage.root, start, box)) {
    const from = box ? origin.map((x, a) => Math.max(x, box.from[a])) : origin;
    const to = origin.map((x, a) => Math.min(x + sides[a], box ? box.to[a] : Infinity));
    if (from.some((x, a) => x >= to[a])) continue;
    const first = container + last.at.firstCell;
    yield { from, to, cell: from.reduce((cell, x, a) => cell + (x - origin[a]) * bytes[a], first), steps: bytes };
  }
};

/** Addresses of the first cells of the active containers that a path leads to. */
export const activeContainers = function* (arena: Arena, { steps, axes }: Path): Generator<number> {
  const { firstCell } = steps[steps.length - 1].at;
  const start = axes.map(() => 0);
  for (const [container] of containers(arena, steps, 0, arena.storage.root, start, undefined))
    yield container + firstCell;
};

/** Writes a value of a component into all cells of a container, from the element of the first on. */
export const fillCells = ({ array, bytes }: Component, first: number, path: Path, value: number | bigint): void => {
  const { cells, cellBytes } = path.steps[path.steps.length - 1].at;
  const step = cellBytes / bytes;
  if (step === 1) (array as Float64Array).fill(value as number, first, first + cells);
  else for (let n = 0; n < cells; n++) array[first + n * step] = value;
};

/** Visits all tiles of a box, row by row, and activates them. */
export const grownTiles = function* (arena: Arena, path: Path, box: Box): Generator<Tile> {
  const sides = sidesOf(path);
  const bytes = bytesOf(path.steps[path.steps.length - 1], path.axes.length);
  const { length } = sides;
  if (box.from.some((x, a) => x >= box.to[a])) return;
  const end = (x: number, a: number): number => Math.min(box.to[a], (Math.floor(x / sides[a]) + 1) * sides[a]);
  let from: readonly number[] = box.from;
  for (;;) {
    const to = from.map(end);
    yield { from, to, cell: growCell(arena, path, from), steps: bytes };
    let a = length - 1;
    while (a >= 0 && to[a] === box.to[a]) a--;
    if (a < 0) return;
    from = from.map((x, n) => (n < a ? x : n === a ? to[a] : box.from[n]));
  }
};

const sidesOf = ({ steps, axes }: Path): readonly number[] => {
  const { digits } = steps[steps.length - 1];
  return axes.map((_, a) => digits.find((d) => d.position === a)?.extent ?? 1);
};

const bytesOf = ({ at, digits }: Step, axes: number): readonly number[] =>
  Array.from({ length: axes }, (_, a) => (digits.find((d) => d.position === a)?.stride ?? 0) * at.cellBytes);

/**
 * Calls `copy` for each row of a tile along its last axis, for one component. Rows that follow one another in memory, and in
 * the box, count as one.
 *
 * @param copy takes the first element of the row in the component's array, the elements from one to the next there, the
 *   place of the row in a dense array of the box, and the length of the row
 */
export const rowsOf = (
  { from, to, steps, cell }: Tile,
  component: Component,
  box: Box,
  copy: (element: number, step: number, place: number, length: number) => void,
): void => {
  const step = steps[steps.length - 1] / component.bytes;
  let last = from.length - 1;
  let [length, inner] = [to[last] - from[last], 1];
  while (last > 0 && length === box.to[last] - box.from[last] && steps[last - 1] === steps[last] * length) {
    inner *= length;
    last--;
    length = to[last] - from[last];
  }
  const visit = (a: number, address: number, place: number): void => {
    const side = box.to[a] - box.from[a];
    const at = place * side + from[a] - box.from[a];
    if (a === last) return copy(elementAt(component, address), step, at * inner, length * inner);
    for (let x = from[a]; x < to[a]; x++) visit(a + 1, address + (x - from[a]) * steps[a], at + x - from[a]);
  };
  visit(0, cell, 0);
};

/** Copies a row from one typed array to another of numbers, from element to element by a step in each. */
export const copyRow = (
  from: TypedArray,
  [first, step]: readonly [number, number],
  to: TypedArray,
  [target, targetStep]: readonly [number, number],
  length: number,
): void => {
  if (step === 1 && targetStep === 1 && length >= LONG)
    (to as Float64Array).set((from as Float64Array).subarray(first, first + length), target);
  else for (let k = 0; k < length; k++) to[target + k * targetStep] = from[first + k * step];
};

/** Rows of at least this length are worth a call of what engines do fast. */
const LONG = 32;
