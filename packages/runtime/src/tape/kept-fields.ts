import { isSparse, type FieldDecl } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { activeElements } from './active-elements.js';
import type { State } from './saved.js';
import type { SaveFields } from './saved-fields.js';

/**
 * Copies the elements of fields as they are. Of what is sparse those that are active are copied.
 *
 * @param save copies what is not sparse
 */
export const keptFields = (arena: Arena, save: SaveFields, names: readonly string[]): State => {
  const { fields, nodes } = arena.storage.layout;
  const dense: string[] = [];
  const byCells = new Map<number, FieldDecl[]>();
  for (const name of names) {
    const { field, path } = fields.get(name)!;
    if (path.every((n) => !isSparse(nodes[n]))) dense.push(name);
    else byCells.set(path.at(-2)!, [...(byCells.get(path.at(-2)!) ?? []), field]);
  }
  const all: readonly State[] = [
    ...(dense.length > 0 ? [save(dense)] : []),
    ...[...byCells.values()].map((together) => activeElements(arena, together)),
  ];
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    restore: () => all.forEach((one) => one.restore()),
    restoreLast: () => all.forEach((one) => one.restoreLast()),
    differs: () => all.map((one) => one.differs()).find((field) => field !== undefined),
  };
};
