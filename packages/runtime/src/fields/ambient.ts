import { byteSize, isWide } from '@filigree/ir';
import { RESERVED_CELLS, type NodeStorage } from '@filigree/sparse';
import type { Arena } from './arena.js';

/** Makes an arena of zeros one in which nothing is active and every element has its ambient value. */
export const initialize = (arena: Arena): void => {
  const { storage, words } = arena;
  for (const at of storage.nodes) {
    if (!at.pool) continue;
    words[at.pool.used / 4] = RESERVED_CELLS;
    paint(arena, at, at.pool.cells);
  }
  paint(arena, storage.nodes[0], storage.root);
};

/** Writes ambient values, where they are not zero, into a cell of zeros. */
export const paint = (arena: Arena, at: NodeStorage, cell: number): void => {
  const { nodes } = arena.storage;
  for (const id of at.node.children) {
    const child = nodes[id];
    const { field } = child.node;
    if (field) {
      if (Object.is(field.ambient, 0)) continue;
      const array = arena.array(field.type);
      array[(cell + child.offset) / byteSize(field.type)] = isWide(field.type) ? BigInt(field.ambient) : field.ambient;
      continue;
    }
    if (child.pool || !hasAmbient(arena, child)) continue;
    const count = child.length === undefined ? child.cells : child.cells + 1;
    const first = cell + child.offset + child.firstCell;
    paint(arena, child, first);
    repeat(arena.bytes, first, child.cellBytes, count);
  }
};

/** Copies the first of `count` blocks over the others. */
const repeat = (bytes: Uint8Array, at: number, size: number, count: number): void => {
  for (let done = 1; done < count; done *= 2)
    bytes.copyWithin(at + done * size, at, at + Math.min(done, count - done) * size);
};

const hasAmbient = (arena: Arena, { node }: NodeStorage): boolean =>
  node.children.some((id) => {
    const child = arena.storage.nodes[id];
    const { field } = child.node;
    return field ? !Object.is(field.ambient, 0) : !child.pool && hasAmbient(arena, child);
  });
