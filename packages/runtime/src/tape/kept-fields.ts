import { isSparse } from '@filigree/sparse/fields';
import type { Arena } from '../fields/arena.js';
import { componentsIn, encodedTogether } from '../fields/component.js';
import { activeElements } from './active-elements.js';
import type { Saved } from './saved.js';
import { withEncoded, type SaveFields } from './saved-fields.js';

/**
 * Copies the elements of fields as they are before a launch that overwrites them, for its derivative. Of what is sparse those that are active are copied, and what has become active since is put back to the ambient
 * value.
 *
 * @param save copies what is not sparse
 */
export const keptFields = (arena: Arena, save: SaveFields, names: readonly string[]): Saved => {
  const { fields, nodes } = arena.storage.layout;
  const placed = withEncoded(arena.storage.layout, names).map((name) => fields.get(name)!);
  const [sparse, plain] = [true, false].map((is) =>
    placed.filter(({ path, unbounded }) => is === (unbounded || path.some((n) => isSparse(nodes[n])))),
  );
  const whole = save(plain.map(({ field }) => field.name));
  const components = sparse.flatMap(({ field }) => componentsIn(arena, field));
  const lists = encodedTogether(components).map((group) =>
    activeElements(
      arena,
      group.map((n) => components[n]),
    ),
  );
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
