import { arrayConstructor, fail, isWide } from '@filigree/ir';
import { RESERVED_CELLS, type NodeStorage, type Storage } from './storage.js';

/**
 * Makes memory of zeros an arena in which nothing is active: ambient values, where they are not zero, in the root's cell and
 * in each pool's ambient cell, and no cell of any pool given out. Error: `arena/bytes` where the memory is too small.
 *
 * @param bytes zeros, at least `storage.bytes` of them
 */
export const initialise = (storage: Storage, bytes: ArrayBufferLike): void => {
  if (bytes.byteLength < storage.bytes)
    fail('arena/bytes', `the memory has ${bytes.byteLength} bytes, the layout takes ${storage.bytes}`, {
      remedy: 'allocate `storage.bytes`',
    });
  const words = new Int32Array(bytes, 0, Math.floor(bytes.byteLength / 4));
  for (const at of storage.nodes)
    if (at.pool) {
      words[at.pool.used / 4] = RESERVED_CELLS;
      fill(storage, bytes, at, at.pool.cells);
    }
  fill(storage, bytes, storage.nodes[0], storage.root);
};

/** Writes ambient values that are not zero into a cell of zeros, and into all cells that lie in it. */
const fill = (storage: Storage, bytes: ArrayBufferLike, { node }: NodeStorage, cell: number): void => {
  for (const id of node.children) {
    const child = storage.nodes[id];
    const { field } = child.node;
    const at = cell + child.offset;
    if (field && !Object.is(field.ambient, 0)) {
      const value = new (arrayConstructor(field.type))(bytes, at, 1);
      value[0] = isWide(field.type) ? BigInt(field.ambient) : field.ambient;
    } else if (!field && !child.pool && hasAmbient(storage, child)) {
      const count = child.length === undefined ? child.cells : child.cells + 1;
      const first = at + child.firstCell;
      fill(storage, bytes, child, first);
      repeat(new Uint8Array(bytes), first, child.cellBytes, count);
    }
  }
};

/** Copies the first of `count` blocks over the others. */
const repeat = (bytes: Uint8Array, at: number, size: number, count: number): void => {
  for (let done = 1; done < count; done *= 2)
    bytes.copyWithin(at + done * size, at, at + Math.min(done, count - done) * size);
};

const hasAmbient = (storage: Storage, { node }: NodeStorage): boolean =>
  node.children.some((id) => {
    const child = storage.nodes[id];
    return child.node.field ? !Object.is(child.node.field.ambient, 0) : !child.pool && hasAmbient(storage, child);
  });
