import { Branch } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { layout, type Layout } from './layout.js';

/**
 * The layout with more fields placed in it: those that `more` gives for a field lie in the cells in which that one lies, after all
 * that is there; where these are the cells of a plain array, in an array of their own beside it, so that what is read together stays together. Fields
 * stay what they are. Throws what `layout` does.
 */
export const withBeside = (of: Layout, more: (field: FieldDecl) => readonly FieldDecl[]): Layout => {
  const branchesOf = (id: number): readonly Branch[] => {
    const node = of.nodes[id];
    const { kind, pointer, bitmasked, morton, cells } = node;
    const inside = node.children.map((c) => of.nodes[c]);
    const places = inside.flatMap(({ field, stored }) => (field ? [{ field, stored }] : []));
    const added = places.flatMap(({ field }) => more(field).map((f) => ({ field: f, stored: undefined })));
    const below = inside.filter((n) => !n.field).flatMap((n) => branchesOf(n.id));
    const path: Branch['path'] = [
      {
        kind: kind as 'dense' | 'hash' | 'dynamic',
        axes: node.axes as Branch['path'][number]['axes'],
        extents: node.axes.map((a) => node.extents[a]),
        pointer,
        bitmasked,
        morton,
        cells,
      },
    ];
    const isArray = kind === 'dense' && !pointer && !bitmasked && below.length === 0;
    return isArray && added.length > 0
      ? [Branch.whole(path, places, []), Branch.whole(path, added, [])]
      : [Branch.whole(path, [...places, ...added], below)];
  };
  return layout(...of.nodes[0].children.flatMap(branchesOf));
};
