import { isPooled } from '../storage/pooled.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import type { Arena } from './arena.js';
import { mortonDigits, type Path, type Step } from './path.js';
import { lastCell } from './pool.js';
import { cellsOf, maskBit, numbersOf } from './cells.js';

/** A box of indices: from `from`, and below `to`, along each axis. */
export interface IndexBox {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/**
 * Visits the active cells that a path leads to, within a box if one is given: address and indices, in the order of memory.
 * The list of indices is one and the same each time. Nothing may be activated or deactivated meanwhile.
 */
export const visitElements = (
  arena: Arena,
  path: Path,
  visit: (cell: number, indices: readonly number[]) => void,
  box?: IndexBox,
): void => {
  for (const part of parts(arena, path, box)) visitPart(arena, path, part, visit, box);
};

/** The same as pairs that `make` makes, each with indices of its own. */
export function* elements<A>(
  arena: Arena,
  path: Path,
  make: (cell: number, indices: readonly number[]) => A,
): Generator<A> {
  for (const part of parts(arena, path)) {
    const cells: number[] = [];
    const indices: (readonly number[])[] = [];
    visitPart(arena, path, part, (cell, at) => {
      cells.push(cell);
      indices.push(at.slice());
    });
    for (let n = 0; n < cells.length; n++) yield make(cells[n], indices[n]);
  }
}

/** Some cells of a container of the innermost node: numbers from `first`, below `last`. */
interface Part {
  readonly container: number;
  readonly first: number;
  readonly last: number;
  /** Indices of what is around the container. */
  readonly origin: readonly number[];
}

function* parts(arena: Arena, { axes, steps }: Path, box?: IndexBox): Generator<Part> {
  const innermost = steps[steps.length - 1];
  for (const [container, origin] of containers(
    arena,
    steps,
    0,
    arena.storage.root,
    axes.map(() => 0),
    box,
  )) {
    const count = countOf(arena, innermost, container);
    for (let first = 0; first < count; first += PART)
      yield { container, origin, first, last: Math.min(count, first + PART) };
  }
}

/* So many cells are looked at before the first of them is handed out. */
const PART = 1024;

/** Active containers of the last step's node, within a box if one is given: address, and indices of what is around. */
export function* containers(
  arena: Arena,
  steps: readonly Step[],
  depth: number,
  around: number,
  origin: readonly number[],
  box: IndexBox | undefined,
): Generator<readonly [container: number, origin: readonly number[]]> {
  const step = steps[depth];
  const container = around + step.at.offset;
  if (depth === steps.length - 1) return yield [container, origin];
  for (const [cell, number, place] of cellsOf(arena, step.at, container)) {
    const indices = origin.slice();
    if (place.length > 0) addPlace(step, place, 0, indices);
    else addDigits(step, number, indices);
    if (!box || touches(box, step, indices)) yield* containers(arena, steps, depth + 1, cell, indices, box);
  }
}

const countOf = ({ words }: Arena, { at }: Step, container: number): number => {
  if (isPooled(at) && at.pool.table) return lastCell(words, at.pool);
  return at.length === undefined ? numbersOf(at) : Math.min(at.cells, words[(container + at.length) / 4]);
};

const visitPart = (
  { words }: Arena,
  { steps }: Path,
  { container, first, last, origin }: Part,
  visit: (cell: number, indices: readonly number[]) => void,
  box?: IndexBox,
): void => {
  const step = steps[steps.length - 1];
  const { at } = step;
  const { pool, mask, slots, cellBytes } = at;
  const cells = pool ? pool.cells : container + at.firstCell;
  const indices = origin.slice();
  for (let number = first; number < last; number++) {
    let cell = number;
    if (pool?.table) {
      if (cell < RESERVED_CELLS || words[pool.active / 4 + cell] !== 1) continue;
    } else if (pool) {
      cell = words[(container + slots!) / 4 + number];
      if (cell < RESERVED_CELLS) continue;
    } else if (mask !== undefined && !maskBit(words, container + mask, number)) continue;
    for (let a = 0; a < indices.length; a++) indices[a] = origin[a];
    if (pool?.table) addPlace(step, words, pool.coordinates / 4 + cell * pool.axes.length, indices);
    else addDigits(step, number, indices);
    if (!box || touches(box, step, indices)) visit(cells + cell * cellBytes, indices);
  }
};

/** Adds to indices what the place of a cell, which begins at `from`, says of them. */
const addPlace = ({ cell }: Step, places: ArrayLike<number>, from: number, indices: number[]): void => {
  for (let a = 0; a < cell.length; a++) indices[cell[a].position] += places[from + a] * cell[a].below;
};

/** The same for its number in its container. */
const addDigits = ({ at, digits }: Step, number: number, indices: number[]): void => {
  if (at.node.morton) {
    const values = mortonDigits(number, digits.length);
    for (let d = 0; d < digits.length; d++) indices[digits[d].position] += values[d] * digits[d].below;
    return;
  }
  let rest = number;
  for (const { position, below, stride } of digits) {
    const quotient = Math.floor(rest / stride);
    indices[position] += quotient * below;
    rest -= quotient * stride;
  }
};

/* Whether a cell that begins at these indices has elements in a box. */
const touches = ({ from, to }: IndexBox, { cell }: Step, indices: readonly number[]): boolean => {
  for (const { position, below } of cell)
    if (indices[position] >= to[position] || indices[position] + below <= from[position]) return false;
  return true;
};
