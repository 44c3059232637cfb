import { type LayoutNode, type LayoutTree, type Loc, DiagnosticError, fail } from '@filigree/ir';
import type { Axes } from './axes.js';
import type { Branch } from './branch.js';
import { dense, dynamic, hash } from './branch.js';
import { field } from './field-decl.js';
import { type Layout, type SNode, layout } from './layout.js';

/** A layout as plain data, as modules carry it. Of one layout it is always the same. */
export const layoutTree = (of: Layout): LayoutTree => {
  const known = trees.get(of);
  if (known) return known;
  const tree: LayoutTree = { branches: of.nodes[0].children.map((n) => treeOf(of, of.nodes[n])) };
  trees.set(of, tree);
  layouts.set(tree, of);
  return tree;
};

/**
 * The layout that a tree describes. Throws `DiagnosticError` with the place in the text where there is one: `layout/node`,
 * `layout/attribute`, and those of `layout`, `field` and the nodes.
 */
export const layoutOf = (tree: LayoutTree): Layout => {
  const known = layouts.get(tree);
  if (known) return known;
  const made = layout(...tree.branches.map(branchOf));
  trees.set(made, tree);
  layouts.set(tree, made);
  return made;
};

/* A layout that went into a module and comes out of it is the same value, fields included. */
const trees = new WeakMap<Layout, LayoutTree>();
const layouts = new WeakMap<LayoutTree, Layout>();

const treeOf = (of: Layout, node: SNode): LayoutNode => {
  const inside = node.children.map((c) => of.nodes[c]);
  return {
    kind: node.kind,
    axes: node.axes,
    extents: node.axes.map((a) => node.extents[a]),
    attrs: {
      ...(node.pointer && { pointer: true }),
      ...(node.bitmasked && { bitmasked: true }),
      ...(node.morton && { morton: true }),
      ...(node.cells !== undefined && { cells: node.cells }),
    },
    fields: inside.flatMap(({ field: f }) => (f ? [{ name: f.name, type: f.type, ambient: f.ambient }] : [])),
    children: inside.filter((n) => !n.field).map((n) => treeOf(of, n)),
  };
};

const branchOf = (node: LayoutNode): Branch =>
  placed(node.loc, () => {
    const { kind, extents, attrs } = node;
    const axes = node.axes as Axes;
    const unknown = Object.keys(attrs).find((a) => !['pointer', 'bitmasked', 'morton', 'cells'].includes(a));
    if (unknown !== undefined)
      fail('layout/attribute', `${kind} has no attribute '${unknown}'`, {
        remedy: 'nodes have pointer, bitmasked, morton and cells',
      });
    const options = typeof attrs.cells === 'number' ? { cells: attrs.cells } : undefined;
    const start =
      kind === 'dense'
        ? dense(axes, extents)
        : kind === 'hash'
          ? hash(axes, extents, options)
          : kind === 'dynamic' && extents.length === 1
            ? dynamic(axes, extents[0])
            : fail('layout/node', `there is no node ${kind} of ${extents.length} axes`, {
                remedy: 'write dense, hash, or dynamic over one axis',
              });
    const decorated = (['pointer', 'bitmasked', 'morton'] as const).reduce(
      (b, d) => (attrs[d] !== true ? b : d === 'pointer' ? b.pointer(options) : b[d]()),
      start,
    );
    const fields = node.fields.map((f) => placed(f.loc, () => field(f.name, f.type, { ambient: f.ambient })));
    return decorated.place(...fields).fork(...node.children.map(branchOf));
  });

/** What is wrong in something that stands at a place is wrong at that place. */
const placed = <A>(loc: Loc | undefined, make: () => A): A => {
  try {
    return make();
  } catch (e) {
    if (!(e instanceof DiagnosticError) || !loc) throw e;
    throw new DiagnosticError(e.diagnostics.map((d) => (d.loc ? d : { ...d, loc })));
  }
};
