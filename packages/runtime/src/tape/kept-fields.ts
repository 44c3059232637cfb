import { isSparse, type FieldDecl, type Layout } from '@filigree/sparse/fields';
import type { Saved } from './saved.js';
import type { FieldOf, SaveFields } from './saved-fields.js';

/**
 * Copies the elements of fields as they are before a launch that overwrites them, for its derivative. Of what is sparse those that are active are copied, and what has become active since is put back to the ambient
 * value.
 *
 * @param save copies what is not sparse
 */
export const keptFields = (
  { fields, nodes }: Layout,
  fieldOf: FieldOf,
  save: SaveFields,
  names: readonly string[],
): Saved => {
  const placed = names.map((name) => fields.get(name)!);
  const [sparse, plain] = [true, false].map((is) =>
    placed.filter(({ path, unbounded }) => is === (unbounded || path.some((n) => isSparse(nodes[n])))),
  );
  const whole = save(plain.map(({ field }) => field.name));
  const lists = sparse.map(({ field }) => activeOf(fieldOf, field));
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

const activeOf = (fieldOf: FieldOf, field: FieldDecl): Pick<Saved, 'bytes' | 'restore'> => {
  const host = fieldOf(field);
  const all = [...host.entries()].map(([at, value]) => [[...at], value] as const);
  return {
    bytes: all.reduce((sum, [at]) => sum + 8 + 4 * at.length, 0),
    restore: () => {
      host.fill(field.ambient);
      for (const [at, value] of all) host.set(at, value);
    },
  };
};
