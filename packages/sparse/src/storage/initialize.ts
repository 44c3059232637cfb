import { arrayConstructor, fail, isWide } from '@filigree/ir';
import { RESERVED_CELLS, type NodeStorage, type Storage } from './storage.js';

/**
 * Turns zeroed memory into an arena in which nothing is active: no pool has given out a cell, and the root's cell and the
 * ambient cell of every pool hold the ambient values. Error: `arena/bytes` where the memory is too small.
 *
 * @param bytes the memory, zeroed, aligned to 8 bytes, at least `storage.bytes` long
 */
export const initializeArena = (storage: Storage, bytes: Uint8Array): void => {
  if (bytes.byteLength < storage.bytes)
    fail('arena/bytes', `the memory has ${bytes.byteLength} bytes, the layout takes ${storage.bytes}`, {
      remedy: 'allocate `storage.bytes`',
    });
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / 4));
  for (const at of storage.nodes)
    if (at.pool) {
      words[at.pool.used / 4] = RESERVED_CELLS;
      initializeCell(storage, bytes, at, at.pool.cells);
    }
  initializeCell(storage, bytes, storage.nodes[0], storage.root);
};

/**
 * Writes the ambient values that are not zero into a zeroed cell of a node, and into all cells that lie inside it.
 *
 * @param cell address of the cell, in bytes from the start of the arena
 */
export const initializeCell = (storage: Storage, bytes: Uint8Array, { node }: NodeStorage, cell: number): void => {
  for (const id of node.children) {
    const child = storage.nodes[id];
    const { field } = child.node;
    const at = cell + child.offset;
    if (field && !Object.is(field.ambient, 0)) {
      const value = new (arrayConstructor(field.type))(bytes.buffer, bytes.byteOffset + at, 1);
      value[0] = isWide(field.type) ? BigInt(field.ambient) : field.ambient;
    } else if (!field && !child.pool && hasAmbient(storage, child)) {
      const first = at + child.firstCell;
      initializeCell(storage, bytes, child, first);
      repeat(bytes, first, child.cellBytes, child.storedCells);
    }
  }
};

/** Copies the first of `count` blocks over the others, twice as many at a time. */
const repeat = (bytes: Uint8Array, at: number, size: number, count: number): void => {
  for (let done = 1; done < count; done *= 2)
    bytes.copyWithin(at + done * size, at, at + Math.min(done, count - done) * size);
};

const hasAmbient = (storage: Storage, { node }: NodeStorage): boolean =>
  node.children.some((id) => {
    const child = storage.nodes[id];
    return child.node.field ? !Object.is(child.node.field.ambient, 0) : !child.pool && hasAmbient(storage, child);
  });
