import { isPooled, type PooledStorage } from '../storage/pooled.js';
import { lengthAt, lengthen, maskBit, pooledNumber, setMaskBit } from '../arena/cells.js';
import type { Arena } from '../arena/arena.js';
import { mortonNumber } from '../arena/path.js';
import { dropNumbered, emptyList } from '../arena/release.js';
import { makeCell } from '../arena/structure.js';
import { STATUS, STATUS_WORDS, type NodeStorage } from '../storage/storage.js';

/**
 * Where a cell, a container or a value lies: its address in bytes or, if it lies in a sink, which takes what is not to be kept,
 * the negative of that.
 */
export type Place = number;

/** What is so many bytes further on. */
export const further = (place: Place, bytes: number): Place => (isLost(place) ? place - bytes : place + bytes);

/** Whether a place lies in a sink. */
export const isLost = (place: Place): boolean => place < 0;

/** A lookup, as the op `snode.lookup` states it. */
export interface Lookup {
  readonly at: NodeStorage;
  readonly container: Place;
  /** The cell's number in the container. Of no meaning for a hash table. */
  readonly number: number;
  /** Its coordinates among all cells of the node, where they are needed. */
  readonly coordinates: readonly number[];
  /** Whether the indices are within bounds, as far as guards say. */
  readonly inside: boolean;
  readonly activate: boolean;
  /** Whether it is for something that is written. */
  readonly written: boolean;
  /** Whether a digit may be just past the last. */
  readonly past: boolean;
  readonly site: number;
}

/** The cell that a lookup finds: where there is none, an ambient one or, for what is written or activated, a sink. */
export const lookup = (arena: Arena, l: Lookup): Place => {
  const { at } = l;
  if (isPooled(at)) {
    const number = pooledCell(arena, at, l);
    const place = at.pool.cells + number * at.cellBytes;
    return number === SINK_CELL ? -place : place;
  }
  const { container, number, inside } = l;
  if (l.activate && inside) {
    if (at.mask !== undefined) setMaskBit(arena.words, Math.abs(container) + at.mask, number, true);
    if (at.length !== undefined) extend(arena, l);
  }
  const stored = at.row > 0 ? inRows(l) : number;
  const cell = further(container, at.firstCell + stored * at.cellBytes);
  return at.row > 0 && stored >= at.cells ? -Math.abs(cell) : cell;
};

/** Whether the cell that a lookup would find is active. */
export const isActive = (arena: Arena, { at, container, number, coordinates }: Lookup): boolean => {
  const { words } = arena;
  const address = Math.abs(container);
  if (at.length !== undefined && number >= words[lengthAt(at, address)]) return false;
  if (isPooled(at)) return pooledNumber(arena, at, address, number, coordinates) !== AMBIENT_CELL;
  return at.mask === undefined || maskBit(words, address + at.mask, number);
};

/** Deactivates the cell that a lookup would find, and all within it. */
export const deactivate = (arena: Arena, { at, container, number, coordinates }: Lookup): void =>
  dropNumbered(arena, at, Math.abs(container), number, coordinates);

/** Adds a cell to a list: its number, that just past the last where it is full or in a sink. */
export const append = (
  arena: Arena,
  at: NodeStorage,
  container: Place,
  coordinates: readonly number[],
  site: number,
): number => {
  if (isLost(container)) return at.cells;
  const number = arena.words[lengthAt(at, container)];
  if (number < at.cells) arena.words[lengthAt(at, container)]++;
  else report(arena, 'listFull', site, coordinates);
  return number;
};

/** Cells of a list. */
export const lengthOf = ({ words }: Arena, at: NodeStorage, container: Place): number =>
  Math.min(words[lengthAt(at, Math.abs(container))], at.cells);

/** Empties a list. */
export const clear = (arena: Arena, at: NodeStorage, container: Place): void =>
  emptyList(arena, at, Math.abs(container));

/** The number of a cell in its container from its digits along the axes that a node splits. */
export const linearize = ({ node, strides }: NodeStorage, digits: readonly number[]): number =>
  node.morton ? mortonNumber(digits) : node.axes.reduce((sum, axis, n) => sum + digits[n] * strides[axis], 0);

/** Reports what went wrong, unless something was reported before. */
export const report = (
  { storage, words }: Arena,
  what: keyof typeof STATUS,
  site: number,
  coordinates: readonly number[],
): void => {
  const at = storage.status / 4;
  if (words[at] === STATUS.fine) words.set([STATUS[what], ...[site, ...coordinates].slice(0, STATUS_WORDS - 1)], at);
};

const AMBIENT_CELL = 0;
const SINK_CELL = 1;

/** The number in its pool of the cell that a lookup finds, or of the one that stands for it. */
const pooledCell = (arena: Arena, at: PooledStorage, l: Lookup): number => {
  const { container, number, coordinates, activate, written, inside } = l;
  if (!inside) return written ? SINK_CELL : AMBIENT_CELL;
  if (at.length !== undefined && activate && !extend(arena, l)) return SINK_CELL;
  const found = pooledNumber(arena, at, Math.abs(container), number, coordinates);
  if (found !== AMBIENT_CELL) return found;
  if (!activate) return written ? SINK_CELL : AMBIENT_CELL;
  /* A cell that hangs below a sink, or on a border, could never be found again. */
  if (isLost(container) || (l.past && isOutside(at, number))) return SINK_CELL;
  const made = makeCell(arena, at, container, number, coordinates);
  if (made !== 0) return made;
  report(arena, 'exhausted', l.site, coordinates);
  return SINK_CELL;
};

/** Whether a number fits into a list, which extends to it. */
const extend = (arena: Arena, { at, container, number, coordinates, site }: Lookup): boolean => {
  const fits = number < at.cells;
  if (isLost(container)) return fits;
  if (fits) lengthen(arena, at, container, number + 1);
  else report(arena, 'listFull', site, coordinates);
  return fits;
};

/** The number or, of what is out of bounds, that of a cell in the first row behind the last or, where it is written, the second. */
const inRows = ({ at: { cells, row }, number, inside, past, written }: Lookup): number => {
  if (!inside) return cells + (written ? row : 0) + (number % row);
  return past && written && number >= cells ? number + row : number;
};

/** Whether a number is that of a slot on the border, or behind the last. */
const isOutside = ({ node, border, cells, strides }: NodeStorage, number: number): boolean =>
  border
    ? node.axes.some((axis) => Math.floor(number / strides[axis]) % (node.extents[axis] + 1) === node.extents[axis])
    : number >= cells;
