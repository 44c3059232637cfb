import { isPooled, type PooledStorage } from '../storage/pooled.js';
import { RESERVED_CELLS } from '../storage/lots.js';
import { type NodeStorage } from '../storage/storage.js';
import type { Arena } from './arena.js';
import { activeCells, findInTable, placeOf } from './pool.js';

/**
 * Number in its pool of a cell with a number in its container or, in a hash table, with a place among all cells of its node;
 * below `RESERVED_CELLS` where it is not active.
 */
export const pooledNumber = (
  arena: Arena,
  at: PooledStorage,
  container: number,
  number: number,
  place: readonly number[],
): number => (at.pool.table ? findInTable(arena, at, place) : arena.words[slotOf(at, container, number)]);

/** Index of the word that says which cell of a pool is the one with a number in its container. */
export const slotOf = ({ slots }: NodeStorage, container: number, number: number): number =>
  (container + slots!) / 4 + number;

/** Index of the word that counts the cells of a list. */
export const lengthAt = ({ length }: NodeStorage, container: number): number => (container + length!) / 4;

/** Makes a list at least so long. */
export const lengthen = ({ words }: Arena, at: NodeStorage, container: number, length: number): void => {
  const word = lengthAt(at, container);
  if (words[word] < length) words[word] = length;
};

/** Bit `number` of a mask. */
export const maskBit = (words: Int32Array, mask: number, number: number): boolean =>
  ((words[wordOf(mask, number)] >> (number & 31)) & 1) === 1;

/** Sets bit `number` of a mask, or clears it. */
export const setMaskBit = (words: Int32Array, mask: number, number: number, set: boolean): void => {
  const bit = 1 << (number & 31);
  if (set) words[wordOf(mask, number)] |= bit;
  else words[wordOf(mask, number)] &= ~bit;
};

const wordOf = (mask: number, number: number): number => mask / 4 + (number >> 5);

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
  const count = at.length === undefined ? numbersOf(at) : Math.min(at.cells, words[lengthAt(at, container)]);
  for (let number = 0; number < count; number++) {
    if (at.pool) {
      const cell = words[slotOf(at, container, number)];
      if (cell >= RESERVED_CELLS) yield [at.pool.cells + cell * at.cellBytes, number, nowhere];
    } else if (at.mask === undefined || maskBit(words, container + at.mask, number))
      yield [container + at.firstCell + number * at.cellBytes, number, nowhere];
  }
}

/** Numbers of a container's cells are below this; slots on a border hold none. */
export const numbersOf = ({ border, cells, storedCells }: NodeStorage): number => (border ? storedCells : cells);

/** The place of a cell that is not a hash table's. */
export const nowhere: readonly number[] = [];
