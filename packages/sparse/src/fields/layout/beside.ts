import { Branch, type NodeSpec } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { holdsWords, layout, type Layout } from './layout.js';
import { isPlainArray, specOf } from './stored-as.js';

/**
 * The layout with more fields placed in it: those that `more` gives for a field lie in the cells in which that one lies, after all
 * that is there; where these are the cells of a plain array, in an array of their own beside it, so that what is read together stays together. Fields
 * stay what they are. Throws what `layout` does.
 */
export const withBeside = (of: Layout, more: (field: FieldDecl) => readonly FieldDecl[]): Layout => {
  const branchesOf = (id: number): readonly Branch[] => {
    const node = of.nodes[id];
    const { kind } = node;
    const inside = node.children.map((c) => of.nodes[c]).filter((n) => !holdsWords(n));
    const places = inside.flatMap(({ field, stored }) => (field ? [{ field, stored }] : []));
    const added = places.flatMap(({ field }) => more(field).map((f) => ({ field: f, stored: undefined })));
    const spec = specOf(node);
    const forks = inside.filter((n) => !n.field).flatMap((n) => branchesOf(n.id));
    if (added.length === 0 || !(isPlainArray(of, node) || kind === 'bits'))
      return [Branch.whole([spec], [...places, ...added], forks)];
    /* What is stored in no format has no room among bits. */
    const beside: NodeSpec = { ...spec, kind: 'dense', word: undefined };
    return [Branch.whole([spec], places, []), Branch.whole([beside], added, [])];
  };
  return layout(...of.nodes[0].children.filter((c) => !holdsWords(of.nodes[c])).flatMap(branchesOf));
};
