import { isPooled, type PooledStorage } from '../storage/pooled.js';
import { fail } from '@filigree/ir';
import { nodeText } from '../layout/layout.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import type { Arena } from './arena.js';
import { cellsOf, lengthAt, lengthen, maskBit, nowhere, pooledNumber, setMaskBit, slotOf } from './cells.js';
import { cellNumber, quotients, type Path, type Step } from './path.js';
import { allocateCell, putIntoTable } from './pool.js';
import { emptyNode } from './empty.js';
import { dropContainer, dropNumbered, settle } from './release.js';

/** Address of the cell at these indices, or −1 where it is not active. */
export const findCell = (arena: Arena, { steps }: Path, indices: ArrayLike<number>): number => {
  const { words, storage } = arena;
  let cell = storage.root;
  for (const step of steps) {
    const { at } = step;
    const container = cell + at.offset;
    const number = cellNumber(step, indices);
    if (at.length !== undefined && number >= words[lengthAt(at, container)]) return -1;
    if (isPooled(at)) {
      const found = numberInPool(arena, step, at, container, number, indices);
      if (found < RESERVED_CELLS) return -1;
      cell = at.pool.cells + found * at.cellBytes;
      continue;
    }
    if (at.mask !== undefined && !maskBit(words, container + at.mask, number)) return -1;
    cell = container + at.firstCell + number * at.cellBytes;
  }
  return cell;
};

/**
 * Address of the cell at these indices, activated with all around it where it is not active. No kernel may run. Error:
 * `field/exhausted`.
 */
export const growCell = (arena: Arena, { steps }: Path, indices: ArrayLike<number>): number => {
  const { words, storage } = arena;
  let cell = storage.root;
  for (const step of steps) {
    const { at } = step;
    const container = cell + at.offset;
    const number = cellNumber(step, indices);
    let found = 0;
    if (isPooled(at)) {
      found = numberInPool(arena, step, at, container, number, indices);
      if (found < RESERVED_CELLS) {
        settle(arena, at);
        found = makeCell(arena, at, container, number, quotients(step.cell, indices)) || exhausted(at);
      }
    }
    if (at.length !== undefined) lengthen(arena, at, container, number + 1);
    if (at.mask !== undefined) setMaskBit(words, container + at.mask, number, true);
    cell = (at.pool ? at.pool.cells : container + at.firstCell) + (at.pool ? found : number) * at.cellBytes;
  }
  return cell;
};

/** Makes a cell of a pool that is not there: its number, 0 where none is left. The pool's lots are closed. */
export const makeCell = (
  arena: Arena,
  at: PooledStorage,
  container: number,
  number: number,
  place: readonly number[],
): number => {
  const cell = allocateCell(arena, at, place);
  if (cell === 0) return 0;
  if (at.pool.table) putIntoTable(arena, at, cell);
  else arena.words[slotOf(at, container, number)] = cell;
  return cell;
};

/**
 * Deactivates the cell of the path's last node at these indices, and all within it; of a node that is not sparse it becomes
 * ambient. Nothing happens where it is not active.
 */
export const dropCell = (arena: Arena, path: Path, indices: ArrayLike<number>): void => {
  const step = path.steps[path.steps.length - 1];
  const around = findCell(arena, { ...path, steps: path.steps.slice(0, -1) }, indices);
  if (around < 0) return;
  dropNumbered(arena, step.at, around + step.at.offset, cellNumber(step, indices), quotients(step.cell, indices));
};

/** Deactivates every cell of the path's last node, in all its containers. */
export const dropAll = (arena: Arena, { steps }: Path): void => {
  const { at } = steps[steps.length - 1];
  const all = containersOf(arena, steps);
  if (arena.inKernel || !emptyNode(arena, at, all)) for (const container of all) dropContainer(arena, at, container);
};

/** Addresses of the active containers of the last step's node. */
const containersOf = (arena: Arena, steps: readonly Step[]): readonly number[] => {
  const found: number[] = [];
  const visit = (depth: number, cell: number): void => {
    const { at } = steps[depth];
    const container = cell + at.offset;
    if (depth === steps.length - 1) found.push(container);
    else for (const [inner] of cellsOf(arena, at, container)) visit(depth + 1, inner);
  };
  visit(0, arena.storage.root);
  return found;
};

/* Indices are divided only where a hash table is asked. */
const numberInPool = (
  arena: Arena,
  { cell }: Step,
  at: PooledStorage,
  container: number,
  number: number,
  indices: ArrayLike<number>,
): number => pooledNumber(arena, at, container, number, at.pool.table ? quotients(cell, indices) : nowhere);

const exhausted = ({ node, pool }: NodeStorage): never =>
  fail('field/exhausted', `all ${pool!.capacity - RESERVED_CELLS} cells of ${nodeText(node)} are in use`, {
    remedy: 'let it have more cells, with the option `cells` of the node or a larger `budget` of the program',
  });
