import { fail } from '@filigree/ir';
import { componentsOf, isField, type AnyField, type Layout } from '@filigree/sparse/fields';

/** The fields of each cell that holds some, those that lie in it with all their components. */
export const cellsOf = (layout: Layout, fields: readonly AnyField[]): readonly (readonly AnyField[])[] => {
  const parents = new Map<number, AnyField[]>();
  for (const f of fields) {
    const { path } = layout.fields.get(componentsOf(f)[0].name)!;
    const parent = path[path.length - 2];
    parents.set(parent, [...(parents.get(parent) ?? []), f]);
  }
  return [...parents.values()];
};

/** Fields, all of whose components lie in one cell as what they are. Error: `search/fields`. */
export const storable = (
  layout: Layout,
  fields: readonly AnyField[],
  what = 'what is to be stored in few bits',
): readonly AnyField[] => {
  for (const f of fields) {
    const places = isField(f) ? componentsOf(f).map((c) => layout.fields.get(c.name)) : [];
    const nodes = places.map((p) => p && layout.nodes[p.path[p.path.length - 1]]);
    if (nodes.length === 0 || nodes.some((n) => !n || n.stored || n.parent !== nodes[0]!.parent))
      fail(
        'search/fields',
        `${what} is no field of the layout, or stored in few bits already, or lies in several places`,
        {
          remedy: 'give a layout without formats, and name fields of it',
        },
      );
  }
  return fields;
};

/** All scalar fields that are stored as what they are. */
export const scalarsOf = (layout: Layout): readonly AnyField[] =>
  [...layout.fields.values()].flatMap(({ field, path }) => (layout.nodes[path[path.length - 1]].stored ? [] : [field]));
