import {
  clearBytes,
  closeLots,
  givenOf,
  initializeCell,
  RESERVED_CELLS,
  type NodeStorage,
} from '@filigree/sparse/fields';
import type { Arena } from './arena.js';
import { cellNumber, type Path, type Quotient, type Step } from './path.js';
import {
  activeCells,
  allocateCell,
  findInTable,
  freeCell,
  isPooled,
  placeOf,
  putIntoTable,
  takeFromTable,
  type PooledStorage,
} from './pool.js';

/** Address of the cell at these indices, or −1 where it is not active. */
export const findCell = (arena: Arena, { steps }: Path, indices: ArrayLike<number>): number => {
  const { words, storage } = arena;
  let cell = storage.root;
  for (const step of steps) {
    const { at } = step;
    const container = cell + at.offset;
    const number = cellNumber(step, indices);
    if (at.length !== undefined && number >= words[(container + at.length) / 4]) return -1;
    if (at.pool) {
      const found = slotted(arena, step, container, number, indices);
      if (found < RESERVED_CELLS) return -1;
      cell = at.pool.cells + found * at.cellBytes;
      continue;
    }
    if (at.mask !== undefined && !maskBit(words, container + at.mask, number)) return -1;
    cell = container + at.firstCell + number * at.cellBytes;
  }
  return cell;
};

/** Address of the cell at these indices, activated with all around it where it is not active. Error: `field/exhausted`. */
export const growCell = (arena: Arena, { steps }: Path, indices: ArrayLike<number>): number => {
  const { words, storage } = arena;
  let cell = storage.root;
  for (const step of steps) {
    const { at } = step;
    const container = cell + at.offset;
    const number = cellNumber(step, indices);
    let found = 0;
    if (isPooled(at)) {
      found = slotted(arena, step, container, number, indices);
      if (found < RESERVED_CELLS) found = activate(arena, at, container, number, quotients(step.cell, indices));
    }
    if (at.length !== undefined) lengthen(words, (container + at.length) / 4, number + 1);
    if (at.mask !== undefined) words[wordOf(container + at.mask, number)] |= 1 << (number & 31);
    cell = (at.pool ? at.pool.cells : container + at.firstCell) + (at.pool ? found : number) * at.cellBytes;
  }
  return cell;
};

/**
 * Deactivates the cell of the path's last node at these indices, which is `pointer`, `bitmasked` or `hash`, and all within
 * it. Nothing happens where it is not active.
 */
export const dropCell = (arena: Arena, path: Path, indices: ArrayLike<number>): void => {
  const step = path.steps[path.steps.length - 1];
  const around = findCell(arena, { ...path, steps: path.steps.slice(0, -1) }, indices);
  if (around < 0) return;
  dropNumbered(arena, step.at, around + step.at.offset, cellNumber(step, indices), quotients(step.cell, indices));
};

/** Empties the list whose container is at this address. */
export const emptyList = (arena: Arena, at: NodeStorage, container: number): void => {
  const { words } = arena;
  const length = words[(container + at.length!) / 4];
  for (let number = 0; number < length; number++) dropNumbered(arena, at, container, number, []);
  words[(container + at.length!) / 4] = 0;
};

/** Deactivates every cell of a sparse node, in all its containers. */
export const dropAll = (arena: Arena, { steps }: Path): void => {
  const { storage } = arena;
  const visit = (depth: number, cell: number): void => {
    const { at } = steps[depth];
    const container = cell + at.offset;
    if (depth === steps.length - 1) dropContainer(arena, at, container);
    else for (const [inner] of cellsOf(arena, at, container)) visit(depth + 1, inner);
  };
  visit(0, storage.root);
};

/** Deactivates every cell of a sparse node in one container. */
const dropContainer = (arena: Arena, at: NodeStorage, container: number): void => {
  if (at.length !== undefined) return emptyList(arena, at, container);
  for (const [, number, place] of cellsOf(arena, at, container)) dropNumbered(arena, at, container, number, place);
};

/** Active cells of a container: address, number within the container, and the place of those in a hash table. */
export function* cellsOf(
  arena: Arena,
  at: NodeStorage,
  container: number,
): Generator<readonly [address: number, number: number, place: readonly number[]]> {
  const { words } = arena;
  if (isPooled(at) && at.pool.table) {
    for (const cell of activeCells(arena, at))
      yield [at.pool.cells + cell * at.cellBytes, 0, placeOf(words, at.pool, cell)];
    return;
  }
  const count = at.length === undefined ? numbersOf(at) : Math.min(at.cells, words[(container + at.length) / 4]);
  for (let number = 0; number < count; number++) {
    if (at.pool) {
      const cell = words[(container + at.slots!) / 4 + number];
      if (cell >= RESERVED_CELLS) yield [at.pool.cells + cell * at.cellBytes, number, nowhere];
    } else if (at.mask === undefined || maskBit(words, container + at.mask, number))
      yield [container + at.firstCell + number * at.cellBytes, number, nowhere];
  }
}

/** Numbers of a container's cells are below this; slots on a border hold none. */
export const numbersOf = ({ border, cells, storedCells }: NodeStorage): number => (border ? storedCells : cells);

const nowhere: readonly number[] = [];

/** Deactivates one cell of a container, with all within it. */
const dropNumbered = (
  arena: Arena,
  at: NodeStorage,
  container: number,
  number: number,
  place: readonly number[],
): void => {
  const { words } = arena;
  if (isPooled(at)) {
    const slot = (container + (at.slots ?? 0)) / 4 + number;
    const cell = at.pool.table ? findInTable(arena, at, place) : words[slot];
    if (cell < RESERVED_CELLS) return;
    if (at.pool.table) takeFromTable(arena, at, cell);
    else words[slot] = 0;
    release(arena, at, cell);
    return;
  }
  if (at.mask !== undefined) {
    if (!maskBit(words, container + at.mask, number)) return;
    words[wordOf(container + at.mask, number)] &= ~(1 << (number & 31));
  }
  makeAmbient(arena, at, container + at.firstCell + number * at.cellBytes);
};

/**
 * Counts what kernels took from a pool since it was last collected, and frees what they gave back, so that nothing is asked
 * for or recycled.
 */
export const settle = (arena: Arena, at: PooledStorage): void => {
  const { words } = arena;
  const { pool } = at;
  const [opened, recycled] = [words[pool.lots.opened / 4], words[pool.recycledCount / 4]];
  if (opened === 0 && recycled === 0) return;
  const given = givenOf(words, pool);
  const free = words[pool.freeCount / 4];
  const reused = Math.min(given.turns, free);
  words.copyWithin(pool.free / 4, pool.free / 4 + reused, pool.free / 4 + free);
  words[pool.freeCount / 4] = free - reused;
  words[pool.used / 4] += given.turns - reused;
  closeLots(words, pool);
  for (const cell of given.left) {
    initializeCell(arena.storage, arena.words, at, pool.cells + cell * at.cellBytes);
    freeCell(arena, at, cell);
  }
  words[pool.recycledCount / 4] = 0;
  for (let n = 0; n < recycled; n++) release(arena, at, words[pool.recycled / 4 + n]);
};

/** The same for all pools, those around others first. */
export const settleAll = (arena: Arena): void => {
  for (const at of arena.storage.nodes) if (isPooled(at)) settle(arena, at);
};

/** Gives a cell back to its pool, and what hangs below it to theirs. */
const release = (arena: Arena, at: PooledStorage, cell: number): void => {
  settle(arena, at);
  makeAmbient(arena, at, at.pool.cells + cell * at.cellBytes);
  freeCell(arena, at, cell);
};

const makeAmbient = (arena: Arena, at: NodeStorage, cell: number): void => {
  releaseBelow(arena, at, cell);
  clearBytes(arena.words, cell, cell + at.cellBytes);
  initializeCell(arena.storage, arena.words, at, cell);
};

const releaseBelow = (arena: Arena, { node }: NodeStorage, cell: number): void => {
  const { nodes } = arena.storage;
  for (const id of node.children) {
    const child = nodes[id];
    if (!poolsWithin(arena, child)) continue;
    for (const [address, number] of cellsOf(arena, child, cell + child.offset))
      if (isPooled(child)) release(arena, child, arena.words[(cell + child.offset + child.slots!) / 4 + number]);
      else releaseBelow(arena, child, address);
  }
};

const poolsWithin = (arena: Arena, at: NodeStorage): boolean =>
  at.pool !== undefined || at.node.children.some((c) => poolsWithin(arena, arena.storage.nodes[c]));

const activate = (
  arena: Arena,
  at: PooledStorage,
  container: number,
  number: number,
  place: readonly number[],
): number => {
  settle(arena, at);
  const cell = allocateCell(arena, at, place);
  if (at.pool.table) putIntoTable(arena, at, cell);
  else arena.words[(container + at.slots!) / 4 + number] = cell;
  return cell;
};

/** Number of the pool's cell behind a slot or in a table; below `RESERVED_CELLS` where there is none. */
const slotted = (
  arena: Arena,
  { at, cell }: Step,
  container: number,
  number: number,
  indices: ArrayLike<number>,
): number =>
  isPooled(at) && at.pool.table
    ? findInTable(arena, at, quotients(cell, indices))
    : arena.words[(container + at.slots!) / 4 + number];

const quotients = (list: readonly Quotient[], indices: ArrayLike<number>): readonly number[] =>
  list.map(({ position, below }) => Math.floor(indices[position] / below));

const lengthen = (words: Int32Array, at: number, length: number): void => {
  if (words[at] < length) words[at] = length;
};

const wordOf = (mask: number, number: number): number => mask / 4 + (number >> 5);

/** Bit `number` of a mask. */
export const maskBit = (words: Int32Array, mask: number, number: number): boolean =>
  ((words[wordOf(mask, number)] >> (number & 31)) & 1) === 1;
