import { arrayConstructor, fail } from '@filigree/ir';
import { clearBytes, repeatBytes, type Memory } from './bytes.js';
import { RESERVED_CELLS } from './lots.js';
import { type NodeStorage, type Storage } from './storage.js';
import { isZero, wordsIn } from './words.js';

/**
 * Turns zeroed memory into an arena in which nothing is active: no pool has given out a cell, and the root's cell and the
 * ambient cell of every pool hold the ambient values. Error: `arena/bytes` where the memory is too small.
 *
 * @param memory zeroed, aligned to 8 bytes, at least `storage.bytes` long
 */
export const initializeArena = (storage: Storage, memory: Memory): void => {
  if (!(memory.byteLength >= storage.bytes))
    fail('arena/bytes', `the memory has ${memory.byteLength ?? 'no'} bytes, the layout takes ${storage.bytes}`, {
      remedy: 'allocate `storage.bytes`',
    });
  const words = new Int32Array(memory.buffer, memory.byteOffset, Math.floor(memory.byteLength / 4));
  for (const at of storage.nodes)
    if (at.pool) {
      words[at.pool.used / 4] = RESERVED_CELLS;
      initializeCell(storage, memory, at, at.pool.cells);
    }
  initializeCell(storage, memory, storage.nodes[0], storage.root);
};

/**
 * Writes the ambient values that are not zero into a zeroed cell of a node, and into all cells that lie inside it.
 *
 * @param cell address of the cell, in bytes from the start of the arena
 */
export const initializeCell = (storage: Storage, memory: Memory, { node }: NodeStorage, cell: number): void => {
  for (const { offset, type, ambient } of wordsIn(storage, node).filter((w) => !isZero(w)))
    new (arrayConstructor(type))(memory.buffer, memory.byteOffset + cell + offset, 1)[0] = ambient;
  for (const child of node.children.map((c) => storage.nodes[c])) {
    if (child.node.field || child.pool || !hasAmbient(storage, child)) continue;
    const first = cell + child.offset + child.firstCell;
    initializeCell(storage, memory, child, first);
    repeatBytes(memory, first, child.cellBytes, child.storedCells);
  }
};

/** Whether cells of a node hold anything, outside of pools within them, that is not zero where nothing was written. */
export const hasAmbient = (storage: Storage, { node }: NodeStorage): boolean =>
  wordsIn(storage, node).some((w) => !isZero(w)) ||
  node.children.some((c) => {
    const child = storage.nodes[c];
    return !child.node.field && !child.pool && hasAmbient(storage, child);
  });

/** Makes so many cells of a node that lie one behind the other ambient, and all that lies inside them: no pool is below them. */
export const ambientCells = (storage: Storage, memory: Memory, at: NodeStorage, first: number, count: number): void => {
  clearBytes(memory, first, first + count * at.cellBytes);
  if (count === 0 || !hasAmbient(storage, at)) return;
  initializeCell(storage, memory, at, first);
  repeatBytes(memory, first, at.cellBytes, count);
};
