import { groupOf, type AnyField } from './field-decl.js';
import { holdsWords, type Layout } from './layout.js';

/**
 * What users have placed, by name: the fields of numbers that a layout holds, and the vectors and matrices all of whose components it holds,
 * where no field of numbers has their name. Words of bit arrays are fields of a layout too, and nobody's.
 */
export const namedFields = ({ fields, nodes }: Layout): ReadonlyMap<string, AnyField> => {
  const numbers = [...fields.values()].filter(({ path }) => !holdsWords(nodes[path[path.length - 1]]));
  const named = new Map<string, AnyField>(numbers.map(({ field }) => [field.name, field]));
  for (const { field } of numbers) {
    const group = groupOf(field);
    if (group && !named.has(group.name) && group.components.every((c) => named.get(c.name) === c))
      named.set(group.name, group);
  }
  return named;
};
