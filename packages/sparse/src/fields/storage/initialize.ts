import { arrayConstructor, fail, isWide } from '@filigree/ir';
import { repeatBytes, type Memory } from './bytes.js';
import { RESERVED_CELLS, type NodeStorage, type Storage } from './storage.js';

/**
 * Turns zeroed memory into an arena in which nothing is active: no pool has given out a cell, and the root's cell and the
 * ambient cell of every pool hold the ambient values. Error: `arena/bytes` where the memory is too small.
 *
 * @param memory zeroed, aligned to 8 bytes, at least `storage.bytes` long
 */
export const initializeArena = (storage: Storage, memory: Memory): void => {
  if (memory.byteLength < storage.bytes)
    fail('arena/bytes', `the memory has ${memory.byteLength} bytes, the layout takes ${storage.bytes}`, {
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
  for (const id of node.children) {
    const child = storage.nodes[id];
    const { field } = child.node;
    const at = cell + child.offset;
    if (field && !Object.is(field.ambient, 0)) {
      const value = new (arrayConstructor(field.type))(memory.buffer, memory.byteOffset + at, 1);
      value[0] = isWide(field.type) ? BigInt(field.ambient) : field.ambient;
    } else if (!field && !child.pool && hasAmbient(storage, child)) {
      const first = at + child.firstCell;
      initializeCell(storage, memory, child, first);
      repeatBytes(memory, first, child.cellBytes, child.storedCells);
    }
  }
};

const hasAmbient = (storage: Storage, { node }: NodeStorage): boolean =>
  node.children.some((id) => {
    const child = storage.nodes[id];
    return child.node.field ? !Object.is(child.node.field.ambient, 0) : !child.pool && hasAmbient(storage, child);
  });
