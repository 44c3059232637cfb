import { Branch, type NodeSpec } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { placesOf, type Placeable } from './format.js';
import { holdsWords, layout, type Layout, type SNode } from './layout.js';

/**
 * The layout with fields stored otherwise: of each cell that holds fields, `store` is given those that are stored as what they are, and says
 * what the cell holds in their place. Where these are the cells of a plain array, each of what it says gets an array of its own, so that words of different sizes
 * leave no gaps. Fields stay what they are; so do bit arrays. Throws what `layout` does.
 */
export const storedAs = (of: Layout, store: (fields: readonly FieldDecl[]) => readonly Placeable[]): Layout => {
  const branchesOf = (id: number): readonly Branch[] => {
    const node = of.nodes[id];
    const inside = node.children.map((c) => of.nodes[c]).filter((n) => !holdsWords(n));
    const places = inside.flatMap(({ field, stored }) => (field ? [{ field, stored }] : []));
    const plain = node.kind === 'bits' ? [] : places.flatMap(({ field, stored }) => (stored ? [] : [field]));
    const others = places.filter(({ field }) => !plain.includes(field));
    const made = plain.length === 0 ? [] : store(plain).map(placesOf);
    const forks = inside.filter((n) => !n.field).flatMap((n) => branchesOf(n.id));
    if (!isPlainArray(of, node)) return [Branch.whole([specOf(node)], [...made.flat(), ...others], forks)];
    const kept = others.length > 0 ? [others] : [];
    return [...made, ...kept].map((places) => Branch.whole([specOf(node)], places, []));
  };
  return layout(...of.nodes[0].children.filter((c) => !holdsWords(of.nodes[c])).flatMap(branchesOf));
};

/** Whether the cells of a node are those of an array, all of them there, that hold fields alone, or nodes that `holds` accepts. */
export const isPlainArray = (
  { nodes }: Layout,
  { kind, pointer, bitmasked, children }: SNode,
  holds: (inner: SNode) => boolean = () => false,
): boolean =>
  kind === 'dense' && !pointer && !bitmasked && children.every((c) => nodes[c].field !== undefined || holds(nodes[c]));

/** A node as it was written down. */
export const specOf = ({ kind, axes, extents, pointer, bitmasked, morton, cells, word }: SNode): NodeSpec => ({
  kind: kind as NodeSpec['kind'],
  axes: axes as NodeSpec['axes'],
  extents: axes.map((a) => extents[a]),
  pointer,
  bitmasked,
  morton,
  cells,
  ...(word !== undefined && { word }),
});
