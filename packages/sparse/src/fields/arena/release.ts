import { isPooled, type PooledStorage } from '../storage/pooled.js';
import { ambientOf } from '../layout/ambient.js';
import { clearBytes } from '../storage/bytes.js';
import { initializeCell } from '../storage/initialize.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import { closeLots, givenOf } from '../storage/turns.js';
import type { Arena } from './arena.js';
import { cellsOf, lengthAt, maskBit, nowhere, pooledNumber, setMaskBit, slotOf } from './cells.js';
import { writeValue } from './values.js';
import { freeCell, recycleCell, takeFromTable } from './pool.js';

/** Deactivates one cell of a container, with all within it. Nothing happens where it is not active. */
export const dropNumbered = (
  arena: Arena,
  at: NodeStorage,
  container: number,
  number: number,
  place: readonly number[],
): void => {
  const { words } = arena;
  if (isPooled(at)) {
    const cell = pooledNumber(arena, at, container, number, place);
    if (cell < RESERVED_CELLS) return;
    if (at.pool.table) takeFromTable(arena, at, cell);
    else words[slotOf(at, container, number)] = 0;
    giveBack(arena, at, cell);
    return;
  }
  if (at.mask !== undefined) {
    if (!maskBit(words, container + at.mask, number)) return;
    setMaskBit(words, container + at.mask, number, false);
  }
  makeAmbient(arena, at, container + at.firstCell + number * at.cellBytes);
};

/** Empties the list whose container is at this address. */
export const emptyList = (arena: Arena, at: NodeStorage, container: number): void =>
  shortenList(arena, at, container, 0);

/** Leaves so many cells of the list whose container is at this address, which has at least as many. */
export const shortenList = (arena: Arena, at: NodeStorage, container: number, to: number): void => {
  const { words } = arena;
  const length = Math.min(at.cells, words[lengthAt(at, container)]);
  for (let number = to; number < length; number++) dropNumbered(arena, at, container, number, nowhere);
  words[lengthAt(at, container)] = to;
};

/** Deactivates every cell of a node in one container; of a node that is not sparse they become ambient. */
export const dropContainer = (arena: Arena, at: NodeStorage, container: number): void => {
  if (at.length !== undefined) return emptyList(arena, at, container);
  for (const [, number, place] of cellsOf(arena, at, container)) dropNumbered(arena, at, container, number, place);
};

/**
 * Counts what kernels took from a pool since it was last collected, and frees what they gave back, so that nothing is asked
 * for or recycled. No kernel may run.
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

/* What a kernel gives back is left to the next collection, as others may still look at it. */
const giveBack = (arena: Arena, at: PooledStorage, cell: number): void => {
  if (arena.inKernel) recycleCell(arena, at, cell);
  else release(arena, at, cell);
};

/** Gives a cell back to its pool, and what hangs below it to theirs. */
const release = (arena: Arena, at: PooledStorage, cell: number): void => {
  settle(arena, at);
  makeAmbient(arena, at, at.pool.cells + cell * at.cellBytes);
  freeCell(arena, at, cell);
};

const makeAmbient = (arena: Arena, at: NodeStorage, cell: number): void => {
  if (at.node.kind === 'bits') return makeBitsAmbient(arena, at, cell);
  giveBackBelow(arena, at, cell);
  clearBytes(arena.words, cell, cell + at.cellBytes);
  initializeCell(arena.storage, arena.words, at, cell);
};

/* An element of a bit array: others lie in its word. */
const makeBitsAmbient = (arena: Arena, { node }: NodeStorage, cell: number): void => {
  const { layout, nodes } = arena.storage;
  for (const c of node.children) {
    const { offset, node: place } = nodes[c];
    writeValue(arena, place, cell + offset, ambientOf(layout, place.field!.name));
  }
};

const giveBackBelow = (arena: Arena, { node }: NodeStorage, cell: number): void => {
  const { nodes } = arena.storage;
  for (const id of node.children) {
    const child = nodes[id];
    if (!poolsWithin(arena, child)) continue;
    for (const [address, number] of cellsOf(arena, child, cell + child.offset))
      if (isPooled(child)) giveBack(arena, child, arena.words[slotOf(child, cell + child.offset, number)]);
      else giveBackBelow(arena, child, address);
  }
};

const poolsWithin = (arena: Arena, at: NodeStorage): boolean =>
  at.pool !== undefined || at.node.children.some((c) => poolsWithin(arena, arena.storage.nodes[c]));
