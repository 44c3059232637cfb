import { Branch } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { layout, type Layout } from './layout.js';

/**
 * The layout with more fields placed in it: those that `more` gives for a field lie in the cells in which that one lies, after all
 * that is there. Fields and names of nodes stay what they are. Throws what `layout` does.
 */
export const withBeside = (of: Layout, more: (field: FieldDecl) => readonly FieldDecl[]): Layout => {
  const branchOf = (id: number): Branch => {
    const node = of.nodes[id];
    const { kind, pointer, bitmasked, morton, cells } = node;
    const inside = node.children.map((c) => of.nodes[c]);
    const places = inside.flatMap(({ field, stored }) => (field ? [{ field, stored }] : []));
    return Branch.whole(
      [
        {
          kind: kind as 'dense' | 'hash' | 'dynamic',
          axes: node.axes as Branch['path'][number]['axes'],
          extents: node.axes.map((a) => node.extents[a]),
          pointer,
          bitmasked,
          morton,
          cells,
        },
      ],
      [...places, ...places.flatMap(({ field }) => more(field).map((f) => ({ field: f, stored: undefined })))],
      inside.filter((n) => !n.field).map((n) => branchOf(n.id)),
    );
  };
  return layout(...of.nodes[0].children.map(branchOf));
};
