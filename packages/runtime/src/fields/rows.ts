import { containers, growCell } from '@filigree/sparse/cells';
import { type IndexBox as Box, type Path, type Step } from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import type { Component } from './component.js';
import type { Tile } from './tile.js';

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
  let from: readonly number[] = box.from;
  for (;;) {
    const to = from.map((x, a) => Math.min(box.to[a], (Math.floor(x / sides[a]) + 1) * sides[a]));
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
