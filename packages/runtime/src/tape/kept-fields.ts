import { growCell, isSparse, visitElements, type FieldDecl } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn } from '../fields/component.js';
import type { Saved } from './saved.js';
import type { SaveFields } from './saved-fields.js';

/**
 * Copies the elements of fields as they are before a launch that overwrites them, for its derivative. Of what is sparse those that are active are copied, and what has become active since is put back to the ambient
 * value.
 *
 * @param save copies what is not sparse
 */
export const keptFields = (arena: Arena, save: SaveFields, names: readonly string[]): Saved => {
  const { fields, nodes } = arena.storage.layout;
  const placed = names.map((name) => fields.get(name)!);
  const [sparse, plain] = [true, false].map((is) =>
    placed.filter(({ path, unbounded }) => is === (unbounded || path.some((n) => isSparse(nodes[n])))),
  );
  const whole = save(plain.map(({ field }) => field.name));
  const lists = sparse.map(({ field }) => activeOf(arena, field));
  const again = (restore: () => void) => (): void => {
    restore();
    for (const list of lists) list.restore();
  };
  return {
    bytes: lists.reduce((sum, { bytes }) => sum + bytes, whole.bytes),
    restore: again(whole.restore),
    restoreLast: again(whole.restoreLast),
  };
};

const activeOf = (arena: Arena, field: FieldDecl): Pick<Saved, 'bytes' | 'restore'> => {
  const [{ path, nodes, ambient, get, set }] = componentsIn(arena, field);
  const branches = new Set([nodes[0]]);
  const all: (readonly [at: readonly number[], value: number | bigint])[] = [];
  arena.ready(undefined, branches);
  visitElements(arena, path, (cell, at) => void all.push([at.slice(), get(cell)]));
  return {
    bytes: all.reduce((sum, [at]) => sum + 8 + 4 * at.length, 0),
    restore: () => {
      arena.ready('structure', branches);
      visitElements(arena, path, (cell) => set(cell, ambient));
      for (const [at, value] of all) set(growCell(arena, path, at), value);
    },
  };
};
