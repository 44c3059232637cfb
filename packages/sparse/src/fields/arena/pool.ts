import type { PooledStorage } from '../storage/pooled.js';
import { hashOf } from '../storage/hash-of.js';
import { initializeCell } from '../storage/initialize.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { hasOneLot, type Pool } from '../storage/storage.js';
import type { Arena } from './arena.js';

/**
 * Gives out a cell of a pool whose lots are closed, as kernels do (thesis §5.2), and notes the place that it takes. Its contents
 * are ambient. 0 where none is left.
 */
export const allocateCell = (arena: Arena, at: PooledStorage, place: readonly number[]): number => {
  const { words } = arena;
  const { pool } = at;
  const [used, free] = [words[pool.used / 4], words[pool.freeCount / 4]];
  if (free === 0 && used >= pool.capacity) return 0;
  const cell = free > 0 ? words[pool.free / 4 + free - 1] : used;
  if (free > 0) words[pool.freeCount / 4] = free - 1;
  else {
    words[pool.used / 4] = used + 1;
    initializeCell(arena.storage, words, at, pool.cells + cell * at.cellBytes);
  }
  words[pool.active / 4 + cell] = 1;
  words.set(place, pool.coordinates / 4 + cell * pool.axes.length);
  return cell;
};

/** Notes that a cell, to which nothing leads any more, is to be given out again after the next collection. */
export const recycleCell = ({ words }: Arena, { pool }: PooledStorage, cell: number): void => {
  words[pool.active / 4 + cell] = 0;
  words[pool.recycled / 4 + words[pool.recycledCount / 4]++] = cell;
};

/** Takes back a cell of a settled pool, which has been made ambient. */
export const freeCell = ({ words }: Arena, { pool }: PooledStorage, cell: number): void => {
  words[pool.active / 4 + cell] = 0;
  words[pool.free / 4 + words[pool.freeCount / 4]++] = cell;
};

/** The number of the cell at a place of a hash table, 0 where there is none. */
export const findInTable = ({ words }: Arena, { pool }: PooledStorage, place: readonly number[]): number => {
  const { slots, size } = tableOf(pool);
  for (let slot = hashOf(place) & (size - 1), tries = 0; tries < size; slot = (slot + 1) & (size - 1), tries++) {
    const cell = words[slots / 4 + slot];
    if (cell === FREE) return 0;
    if (cell >= RESERVED_CELLS && samePlace(words, pool, cell, place)) return cell;
  }
  return 0;
};

/** Puts a cell, which is not in it, into a hash table under the place that it takes. */
export const putIntoTable = ({ words }: Arena, { pool }: PooledStorage, cell: number): void => {
  const { slots, size, removed } = tableOf(pool);
  let slot = hashOf(placeOf(words, pool, cell)) & (size - 1);
  while (words[slots / 4 + slot] >= RESERVED_CELLS) slot = (slot + 1) & (size - 1);
  if (words[slots / 4 + slot] === REMOVED) words[removed / 4]--;
  words[slots / 4 + slot] = cell;
};

/** Takes a cell out of a hash table, leaving no more marks of removed entries than searches need. */
export const takeFromTable = ({ words }: Arena, { pool }: PooledStorage, cell: number): void => {
  const { slots, size, removed } = tableOf(pool);
  const mask = size - 1;
  let slot = hashOf(placeOf(words, pool, cell)) & mask;
  while (words[slots / 4 + slot] !== cell) slot = (slot + 1) & mask;
  words[slots / 4 + slot] = REMOVED;
  words[removed / 4]++;
  if (words[slots / 4 + ((slot + 1) & mask)] !== FREE) return;
  for (; words[slots / 4 + slot] === REMOVED; slot = (slot - 1) & mask) {
    words[slots / 4 + slot] = FREE;
    words[removed / 4]--;
  }
};

/** Takes all cells out of the hash table of a settled pool. Where they are few of it, what lies between them is not touched. */
export const emptyTable = (arena: Arena, at: PooledStorage): void => {
  const { words } = arena;
  const { pool } = at;
  const { slots, size, removed } = tableOf(pool);
  if (size < MANY * (words[pool.used / 4] - words[pool.freeCount / 4])) {
    words.fill(FREE, slots / 4, slots / 4 + size);
    words[removed / 4] = 0;
    return;
  }
  /* What is found from where a search begins up to a free slot goes all at once: every cell is in such a run. */
  const place = pool.axes.map(() => 0);
  const last = lastCell(words, pool);
  for (let cell = RESERVED_CELLS; cell < last; cell++) {
    if (words[pool.active / 4 + cell] !== 1) continue;
    for (let a = 0; a < place.length; a++) place[a] = words[pool.coordinates / 4 + cell * place.length + a];
    let slot = hashOf(place) & (size - 1);
    for (; words[slots / 4 + slot] !== FREE; slot = (slot + 1) & (size - 1)) {
      if (words[slots / 4 + slot] === REMOVED) words[removed / 4]--;
      words[slots / 4 + slot] = FREE;
    }
  }
};

/* So many slots are made zero in the time that one cell is looked for. */
const MANY = 64;

/** The place that an active cell takes among all cells of its node. */
export const placeOf = (words: Int32Array, { coordinates, axes }: Pool, cell: number): readonly number[] => [
  ...words.subarray(coordinates / 4 + cell * axes.length, coordinates / 4 + (cell + 1) * axes.length),
];

/** One above the numbers of cells that may have been given out so far. */
export const lastCell = (words: Int32Array, pool: Pool): number => {
  const { capacity, used, lots, freeCount } = pool;
  const given = hasOneLot(pool) ? words[lots.taken / 4] : words[lots.opened / 4] * lots.turns;
  return Math.min(capacity, words[used / 4] + Math.max(0, given - words[freeCount / 4]));
};

/** The numbers of active cells, ascending. */
export function* activeCells({ words }: Arena, { pool }: PooledStorage): Generator<number> {
  const last = lastCell(words, pool);
  for (let cell = RESERVED_CELLS; cell < last; cell++) if (words[pool.active / 4 + cell] === 1) yield cell;
}

const FREE = 0;
const REMOVED = -1;

const tableOf = ({ table }: Pool): NonNullable<Pool['table']> => table!;

const samePlace = (words: Int32Array, { coordinates, axes }: Pool, cell: number, place: readonly number[]): boolean => {
  const at = coordinates / 4 + cell * axes.length;
  for (let a = 0; a < axes.length; a++) if (words[at + a] !== place[a]) return false;
  return true;
};
