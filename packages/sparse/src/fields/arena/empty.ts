import { isPooled, type PooledStorage } from '../storage/pooled.js';
import { clearBytes } from '../storage/bytes.js';
import { ambientCells } from '../storage/initialize.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import type { Arena } from './arena.js';
import { lengthAt, numbersOf, slotOf } from './cells.js';
import { emptyTable } from './pool.js';
import { settle } from './release.js';

/**
 * Deactivates every cell of a node, in all its containers, by making memory zero instead of cell by cell. False, and nothing is done, where
 * so few cells are active that it would look at much memory for them, and for what cannot be emptied so. No kernel may run.
 */
export const emptyNode = (arena: Arena, at: NodeStorage, containers: readonly number[]): boolean => {
  if (at.node.kind === 'bits' || !isFull(arena, at, containers)) return false;
  emptyPools(arena, at);
  for (const container of containers) emptyContainer(arena, at, container);
  return true;
};

/** Takes back all cells of a pool, to none of which anything leads any more: it is as in an arena that begins. */
export const emptyPool = (arena: Arena, at: PooledStorage): void => {
  const { words } = arena;
  const { pool, cellBytes } = at;
  settle(arena, at);
  const used = words[pool.used / 4];
  if (pool.table) emptyTable(arena, at);
  clearBytes(words, pool.cells + RESERVED_CELLS * cellBytes, pool.cells + used * cellBytes);
  words.fill(0, pool.active / 4, pool.active / 4 + used);
  words[pool.used / 4] = RESERVED_CELLS;
  words[pool.freeCount / 4] = 0;
};

const emptyPools = (arena: Arena, at: NodeStorage): void => {
  for (const child of at.node.children) emptyPools(arena, arena.storage.nodes[child]);
  if (isPooled(at)) emptyPool(arena, at);
};

const emptyContainer = (arena: Arena, at: NodeStorage, container: number): void => {
  const { words } = arena;
  if (!isPooled(at)) emptyCells(arena, at, container);
  else if (!at.pool.table) words.fill(0, slotOf(at, container, 0), slotOf(at, container, numbersOf(at)));
  if (at.length !== undefined) words[lengthAt(at, container)] = 0;
};

/* Of a node whose cells lie in their container: they become ambient, and none is active. */
const emptyCells = (arena: Arena, at: NodeStorage, container: number): void => {
  const { words, storage } = arena;
  const numbers = numbersOf(at);
  const count = at.length === undefined ? numbers : Math.min(at.cells, words[lengthAt(at, container)]);
  ambientCells(storage, words, at, container + at.firstCell, count);
  if (at.mask !== undefined)
    words.fill(0, (container + at.mask) / 4, (container + at.mask) / 4 + Math.ceil(numbers / 32));
};

/** Whether at least an eighth of the cells, of what a node would be emptied of, is active. */
const isFull = (arena: Arena, at: NodeStorage, containers: readonly number[]): boolean => {
  const { words } = arena;
  if (isPooled(at)) {
    settle(arena, at);
    const used = words[at.pool.used / 4] - RESERVED_CELLS;
    return SHARE * (used - words[at.pool.freeCount / 4]) >= used;
  }
  if (at.mask === undefined) return true;
  const numbers = numbersOf(at);
  let active = 0;
  for (const container of containers)
    for (let w = (container + at.mask) / 4, end = w + Math.ceil(numbers / 32); w < end; w++) active += bitsOf(words[w]);
  return SHARE * active >= numbers * containers.length;
};

const SHARE = 8;

/** How many bits of a word are set. */
const bitsOf = (word: number): number => {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
