import { Branch, type NodeSpec } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { holdsWords, layout, type Layout, type SNode } from './layout.js';
import { isPlainArray, specOf } from './stored-as.js';

/**
 * The layout with more fields placed in it: those that `more` gives for a field lie in the cells in which that one lies, after all
 * that is there; where these are the cells of a plain array, in an array of their own, so that what is read together stays together: plain arrays
 * within plain arrays are repeated as a whole. Fields stay what they are. Throws what `layout` does.
 */
export const withBeside = (of: Layout, more: (field: FieldDecl) => readonly FieldDecl[]): Layout => {
  const insideOf = (id: number): readonly SNode[] =>
    of.nodes[id].children.map((c) => of.nodes[c]).filter((n) => !holdsWords(n));
  const addedTo = (id: number): readonly { readonly field: FieldDecl; readonly stored: undefined }[] =>
    insideOf(id).flatMap(({ field }) => (field ? more(field).map((f) => ({ field: f, stored: undefined })) : []));
  const isPlain = (id: number): boolean =>
    isPlainArray(of, of.nodes[id], (inner) => inner.kind === 'dense' && isPlain(inner.id));
  /* Arrays like these, of what is added alone. */
  const repeated = (id: number): readonly Branch[] => {
    const added = addedTo(id);
    const forks = insideOf(id).flatMap((n) => (n.field ? [] : repeated(n.id)));
    return added.length + forks.length === 0 ? [] : [Branch.whole([specOf(of.nodes[id])], added, forks)];
  };
  const branchesOf = (id: number, around: boolean): readonly Branch[] => {
    const node = of.nodes[id];
    const inside = insideOf(id);
    const places = inside.flatMap(({ field, stored }) => (field ? [{ field, stored }] : []));
    const added = addedTo(id);
    const spec = specOf(node);
    const plain = isPlain(id);
    const forks = inside.filter((n) => !n.field).flatMap((n) => branchesOf(n.id, around || plain));
    if (plain) return [Branch.whole([spec], places, forks), ...(around ? [] : repeated(id))];
    if (added.length === 0 || node.kind !== 'bits') return [Branch.whole([spec], [...places, ...added], forks)];
    /* What is stored in no format has no room among bits. */
    const beside: NodeSpec = { ...spec, kind: 'dense', word: undefined };
    return [Branch.whole([spec], places, []), Branch.whole([beside], added, [])];
  };
  return layout(...of.nodes[0].children.filter((c) => !holdsWords(of.nodes[c])).flatMap((c) => branchesOf(c, false)));
};

/** The layout with more branches behind those that it has. Fields stay what they are, and nodes keep their numbers. Throws what `layout` does. */
export const withBranches = (of: Layout, more: readonly Branch[]): Layout => {
  const branchesIn = (id: number): readonly Branch[] =>
    of.nodes[id].children
      .map((c) => of.nodes[c])
      .filter((n) => !n.field && !holdsWords(n))
      .map((n) => Branch.whole([specOf(n)], placesIn(n), branchesIn(n.id)));
  const placesIn = ({ children }: SNode) =>
    children.flatMap((c) => {
      const { field, stored } = of.nodes[c];
      return field && !holdsWords(of.nodes[c]) ? [{ field, stored }] : [];
    });
  return layout(...branchesIn(0), ...more);
};
