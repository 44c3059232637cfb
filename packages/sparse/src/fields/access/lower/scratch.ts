import { declareBuffer, walk, type Buffer, type Module } from '@filigree/ir';
import { nodeStorage, type NodeStorage, type Storage } from '../../storage/storage.js';

/** The scratch buffers that a module's lookups need. */
export const scratchFor = (storage: Storage, module: Module): readonly Buffer[] => {
  let most = 0;
  let words = 0;
  for (const kernel of module.kernels)
    walk(kernel.body, (op) => {
      if (op.name !== 'snode.lookup_all') return;
      most = Math.max(most, Number(op.attrs.count));
      words = Math.max(words, Number(op.attrs.count) * wordsOf(nodeStorage(storage, op)));
    });
  return most === 0
    ? []
    : [
        declareBuffer(slotsName(storage), storage.index, most, 'scratch'),
        declareBuffer(wordsName(storage), 'i32', words, 'scratch'),
      ];
};

/**
 * Coordinates, and whether the cell cannot be: where it is out of bounds, or its place is one of those that take what finds no
 * room; in a hash table then the number found.
 */
export const wordsOf = (node: NodeStorage): number => node.pool!.axes.length + 1;

export const slotsName = (storage: Storage): string => `${storage.memory}_new_slots`;
export const wordsName = (storage: Storage): string => `${storage.memory}_new_cells`;
