import { type LayoutField, type LayoutNode, type LayoutTree, type Loc, DiagnosticError, fail } from '@filigree/ir';
import type { Axes } from './axes.js';
import type { Branch } from './branch.js';
import { bitArray, dense, dynamic, hash } from './branch.js';
import { field, type FieldDecl } from './field-decl.js';
import { bitStruct, stored, type Formats, type Placeable, type StoredField, type WordBits } from './format.js';
import { holdsWords, type Layout, type SNode, layout } from './layout.js';

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
 * `layout/attribute`, `layout/format`, and those of `layout`, `field` and the nodes.
 *
 * @param formats those that fields may be stored in
 */
export const layoutOf = (tree: LayoutTree, formats: Formats = {}): Layout => {
  const known = layouts.get(tree);
  if (known) return known;
  const made = layout(...tree.branches.map((n) => branchOf(n, formats)));
  trees.set(made, tree);
  layouts.set(tree, made);
  return made;
};

/* A layout that went into a module and comes out of it is the same value, fields included. */
const trees = new WeakMap<Layout, LayoutTree>();
const layouts = new WeakMap<LayoutTree, Layout>();

const treeOf = (of: Layout, node: SNode): LayoutNode => {
  const inside = node.children.map((c) => of.nodes[c]).filter((n) => !holdsWords(n));
  return {
    kind: node.kind,
    axes: node.axes,
    extents: node.axes.map((a) => node.extents[a]),
    attrs: {
      ...(node.pointer && { pointer: true }),
      ...(node.bitmasked && { bitmasked: true }),
      ...(node.morton && { morton: true }),
      ...(node.cells !== undefined && { cells: node.cells }),
      ...(node.word !== undefined && { word: node.word }),
    },
    fields: inside.flatMap((n) => (n.field ? [fieldOf(n, n.field)] : [])),
    children: inside.filter((n) => !n.field).map((n) => treeOf(of, n)),
  };
};

const fieldOf = ({ stored }: SNode, { name, type, ambient }: FieldDecl): LayoutField => ({
  name,
  type,
  ambient,
  ...(stored && { format: { name: stored.format.name, attrs: stored.format.attrs } }),
  ...(stored?.shared && !stored.inArray && { word: { first: stored.word, bits: stored.wordBits } }),
});

const branchOf = (node: LayoutNode, formats: Formats): Branch =>
  placed(node.loc, () => {
    const { kind, extents, attrs } = node;
    const axes = node.axes as Axes;
    const unknown = Object.keys(attrs).find(
      (a) => !['pointer', 'bitmasked', 'morton', 'cells', ...(kind === 'bits' ? ['word'] : [])].includes(a),
    );
    if (unknown !== undefined)
      fail('layout/attribute', `${kind} has no attribute '${unknown}'`, {
        remedy: 'nodes have pointer, bitmasked, morton and cells, those of bits also word',
      });
    const options = typeof attrs.cells === 'number' ? { cells: attrs.cells } : undefined;
    const start =
      kind === 'dense'
        ? dense(axes, extents)
        : kind === 'hash'
          ? hash(axes, extents, options)
          : kind === 'bits'
            ? bitArray(axes, extents, attrs.word as WordBits)
            : kind === 'dynamic' && extents.length === 1
              ? dynamic(axes, extents[0])
              : fail('layout/node', `there is no node ${kind} of ${extents.length} axes`, {
                  remedy: 'write dense, hash, bits, or dynamic over one axis',
                });
    const decorated = (['pointer', 'bitmasked', 'morton'] as const).reduce(
      (b, d) => (attrs[d] !== true ? b : d === 'pointer' ? b.pointer(options) : b[d]()),
      start,
    );
    return decorated.place(...placesIn(node.fields, formats)).fork(...node.children.map((n) => branchOf(n, formats)));
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

/** What lies in a cell, those that share a word together. */
const placesIn = (fields: readonly LayoutField[], formats: Formats): readonly Placeable[] =>
  fields.flatMap(({ name, word, loc }, n): readonly Placeable[] => {
    if (!word) return [placeOf(fields[n], formats)];
    if (word.first !== name) return [];
    const within = fields.filter((f) => f.word?.first === word.first).map((f) => placeOf(f, formats));
    return [placed(loc, () => bitStruct(word.bits as WordBits, ...(within as readonly StoredField[])))];
  });

const placeOf = ({ name, type, ambient, format, loc }: LayoutField, formats: Formats): Placeable =>
  placed(loc, () => {
    const plain = field(name, type, { ambient });
    if (!format) return plain;
    if (!Object.hasOwn(formats, format.name))
      fail('layout/format', `field '${name}' is stored as '${format.name}', which is no format that is known here`, {
        remedy: `use a package that has it; known are ${Object.keys(formats).join(', ') || 'none'}`,
      });
    const make: unknown = formats[format.name];
    return typeof make === 'function'
      ? stored(plain, (make as Formats[string])(format.attrs))
      : fail('layout/format', `what is given as the format '${format.name}' is no function`, {
          remedy: `give a function of its attributes: { ${format.name}: (attrs) => … }`,
        });
  });
