import { DiagnosticError, error, fail, type Diagnostic, type Op } from '@filigree/ir';
import { axisName } from './axes.js';
import type { Branch, NodeSpec } from './branch.js';
import type { FieldDecl } from './field-decl.js';
import { placeOfWords } from './bit-array.js';
import type { Stored, WordBits } from './format.js';

/** A structural node of a layout. Its cells hold the containers of its children, one after the other. */
export interface SNode {
  /** Number in preorder; the root is 0. */
  readonly id: number;
  /**
   * What ops call it. A `place` node has the name of its field; `up.u` is the node in whose cells the field `u` lies, the first
   * there, and `up.up.u` the one around that. It stays what it is when more is placed behind it.
   */
  readonly name: string;
  readonly kind: NodeSpec['kind'] | 'root' | 'place';
  /** Number of the node around it; −1 for the root. */
  readonly parent: number;
  readonly children: readonly number[];
  /** Axes that the node splits. */
  readonly axes: readonly number[];
  /** Cells along each axis of the layout; 1 along axes that this node does not split. */
  readonly extents: readonly number[];
  readonly pointer: boolean;
  readonly bitmasked: boolean;
  readonly morton: boolean;
  /** Most cells that can be active at once; for nodes that allocate cells one by one. */
  readonly cells: number | undefined;
  /** Bits of a word; for bit arrays, each of which is one word a field. */
  readonly word?: WordBits | undefined;
  /** The field of a `place` node. */
  readonly field: FieldDecl | undefined;
  /** How the values of a `place` node are stored, where that is not as what they are. */
  readonly stored: Stored | undefined;
}

/** Where a field lies, and which indices it has. */
export interface PlacedField {
  readonly field: FieldDecl;
  /** Numbers of the nodes from below the root down to the `place` node. */
  readonly path: readonly number[];
  /** Axes of its index, ascending. */
  readonly axes: readonly number[];
  /** Indices along each of `axes` are below this; and not below zero, unless the field is unbounded. */
  readonly extents: readonly number[];
  /** Below a hash table indices are any 32-bit integers. */
  readonly unbounded: boolean;
}

/** A layout: the tree of structural nodes, and where each field lies in it. */
export interface Layout {
  /** In preorder: `nodes[id].id === id`. */
  readonly nodes: readonly SNode[];
  readonly named: ReadonlyMap<string, SNode>;
  readonly fields: ReadonlyMap<string, PlacedField>;
}

/**
 * The tree whose root holds these branches (thesis §2.3.2). Throws `DiagnosticError`: `layout/placed-twice`,
 * `layout/branch`, `layout/empty`, `layout/axes`, `layout/list-axis`, `layout/hash-inside`, `layout/too-large`.
 */
export const layout = (...branches: readonly Branch[]): Layout => {
  for (const b of branches as readonly (Branch | undefined)[])
    if (!Array.isArray(b?.path))
      fail('layout/branch', `layout() was given ${String(b)}, which is no branch`, {
        remedy: 'give nodes that fields are placed in: layout(dense(i, 100).place(x))',
      });
  const axes = 1 + branches.reduce((most, b) => Math.max(most, largestAxis(b)), -1);
  const drafts: SNode[] = [];
  const add = (parent: number, fields: Partial<SNode>): number => {
    const id = drafts.length;
    drafts.push({ ...PLAIN, extents: ones(axes), ...fields, id, parent });
    if (parent >= 0) drafts[parent] = { ...drafts[parent], children: [...drafts[parent].children, id] };
    return id;
  };
  const grow = (parent: number, branch: Branch): void => {
    const inner = branch.path.reduce((at, spec) => add(at, { ...spec, extents: extentsOf(spec, axes) }), parent);
    for (const place of branch.places) add(inner, { kind: 'place', ...place });
    if (drafts[inner].kind === 'bits')
      for (const place of branch.places)
        add(drafts[inner].parent, { kind: 'place', ...placeOfWords(place, drafts[inner].extents) });
    for (const fork of branch.forks) grow(inner, fork);
  };
  add(-1, {});
  for (const branch of branches) grow(0, branch);
  const nodes = drafts.map((n) => ({ ...n, name: nameOf(drafts, n) }));
  const problems = [...nodes.flatMap((n) => nodeProblems(nodes, n)), ...fieldProblems(nodes)];
  if (problems.length > 0) throw new DiagnosticError(problems);
  const places = nodes.flatMap(({ id, field }) => (field ? [placed(nodes, id, field)] : []));
  return {
    nodes,
    named: new Map(nodes.map((n) => [n.name, n])),
    fields: new Map(places.map((p) => [p.field.name, p])),
  };
};

/** What a node is unless it says otherwise. */
const PLAIN: Omit<SNode, 'id' | 'parent' | 'extents'> = {
  kind: 'root',
  name: '',
  pointer: false,
  bitmasked: false,
  morton: false,
  cells: undefined,
  field: undefined,
  stored: undefined,
  axes: [],
  children: [],
};

/** The layout of modules that have no fields. */
export const noLayout: Layout = {
  nodes: [{ ...PLAIN, id: 0, parent: -1, extents: [] }],
  named: new Map(),
  fields: new Map(),
};

const nameOf = (nodes: readonly SNode[], { field, children }: SNode): string =>
  field ? field.name : children.length === 0 ? '' : `up.${nameOf(nodes, nodes[children[0]])}`;

/** The node that an op names; nothing where its layout has none of that name. */
export const nodeOf = ({ named }: Pick<Layout, 'named'>, { attrs }: Pick<Op, 'attrs'>): SNode | undefined =>
  named.get(String(attrs.node));

/** How the elements of a field are stored, where not as what they are; nothing where the layout has no field of that name. */
export const storedOf = ({ fields, nodes }: Pick<Layout, 'fields' | 'nodes'>, field: string): Stored | undefined => {
  const path = fields.get(field)?.path;
  return path && nodes[path[path.length - 1]].stored;
};

/** The other fields that are encoded anew when one is written, since they share its exponent: their elements may be rounded again. */
export const encodedWith = (layout: Pick<Layout, 'fields' | 'nodes'>, field: string): readonly string[] =>
  storedOf(layout, field)?.joint?.members.flatMap((m) => (m.field.name === field ? [] : [m.field.name])) ?? [];

/** The numbers of the nodes on the way from the root, itself left out, down to node `id`. */
export const pathTo = (nodes: readonly SNode[], id: number): readonly number[] =>
  id === 0 ? [] : [...pathTo(nodes, nodes[id].parent), id];

/** The numbers of a node and of all below it, in preorder. */
export const nodesWithin = (layout: Layout, id: number): readonly number[] => [
  id,
  ...layout.nodes[id].children.flatMap((c) => nodesWithin(layout, c)),
];

/**
 * The axes, ascending, that the path from the root to a node splits, the node included: the coordinates of its
 * elements.
 */
export const axesOf = ({ nodes }: Layout, id: number): readonly number[] => {
  const known = axesKnown.get(nodes) ?? [];
  axesKnown.set(nodes, known);
  return (known[id] ??= nodes[0].extents.flatMap((_, a) =>
    pathTo(nodes, id).some((n) => nodes[n].axes.includes(a)) ? [a] : [],
  ));
};

/* Every access asks, and every check of one. */
const axesKnown = new WeakMap<readonly SNode[], (readonly number[])[]>();

/** As `axesOf`, for the container of a node: without the axes that only the node itself splits. */
export const axesAbove = (layout: Layout, id: number): readonly number[] => axesOf(layout, layout.nodes[id].parent);

/** Whether cells of a node are allocated one by one, from a pool. */
export const allocates = ({ pointer, kind }: SNode): boolean => pointer || kind === 'hash';

/** Whether a node holds further nodes, and not only fields. */
export const hasNodes = ({ nodes }: Layout, { children }: SNode): boolean => children.some((c) => !nodes[c].field);

/** A node as text for people: what it is and the axes it splits. */
export const nodeText = (node: SNode): string => {
  if (node.field) return `field '${node.field.name}'`;
  const split = node.axes.map((a) => `${axisName(a)}: ${node.extents[a]}`);
  const decorators = (['pointer', 'bitmasked', 'morton'] as const).filter((d) => node[d]).map((d) => `.${d}()`);
  return `${node.kind}(${split.join(', ')})${decorators.join('')}`;
};

/** The tree as text for people: one node per line, children indented. */
export const layoutText = ({ nodes }: Layout): string => {
  const lines = (id: number, depth: number): readonly string[] => [
    `${'  '.repeat(depth)}${nodeText(nodes[id])}`,
    ...nodes[id].children.flatMap((child) => (holdsWords(nodes[child]) ? [] : lines(child, depth + 1))),
  ];
  return lines(0, 0).join('\n');
};

/** Whether cells of this node may be inactive. */
export const isSparse = (node: SNode): boolean => allocates(node) || node.bitmasked || node.kind === 'dynamic';

/** Whether a node is the place of whole words of a bit array, which users do not see. */
export const holdsWords = ({ stored }: SNode): boolean => stored?.elements !== undefined;

const ones = (n: number): number[] => new Array<number>(n).fill(1);

const largestAxis = (b: Branch): number =>
  Math.max(-1, ...b.path.flatMap((spec) => spec.axes), ...b.forks.map(largestAxis));

const extentsOf = (spec: NodeSpec, axes: number): number[] =>
  ones(axes).map((one, a) => (spec.axes.includes(a as never) ? spec.extents[spec.axes.indexOf(a as never)] : one));

const nodeProblems = (nodes: readonly SNode[], node: SNode): Diagnostic[] => {
  const problems: Diagnostic[] = [];
  const what = nodeText(node);
  const above = pathTo(nodes, node.id)
    .slice(0, -1)
    .map((id) => nodes[id]);
  if (node.kind !== 'place' && node.children.length === 0)
    problems.push(
      error('layout/empty', node.kind === 'root' ? 'the layout is empty' : `nothing is placed in ${what}`, {
        remedy: 'place fields, or nest a node',
      }),
    );
  const sharesAxis = (n: SNode): boolean => n.axes.some((a) => node.axes.includes(a));
  const list = above.find((n) => n.kind === 'dynamic' && sharesAxis(n));
  if (list)
    problems.push(
      error('layout/list-axis', `${what} splits the axis of ${nodeText(list)} again`, {
        remedy: 'give the list an axis of its own, and nodes within its cells others',
      }),
    );
  if (node.kind === 'dynamic' && above.some(sharesAxis))
    problems.push(
      error('layout/list-axis', `the axis of ${what} is split above it`, {
        remedy: 'give the list an axis of its own',
      }),
    );
  if (node.kind === 'hash' && above.length > 0)
    problems.push(
      error('layout/hash-inside', `${what} stands within ${nodeText(above[0])}`, {
        remedy: 'a hash table holds whole coordinates: put it directly below the root',
      }),
    );
  return problems;
};

const fieldProblems = (nodes: readonly SNode[]): Diagnostic[] => {
  const problems: Diagnostic[] = [];
  const first = new Map<string, SNode>();
  for (const node of nodes) {
    if (!node.field) continue;
    const other = first.get(node.field.name);
    if (other)
      problems.push(
        error(
          'layout/placed-twice',
          other.field === node.field
            ? `field '${node.field.name}' is placed twice`
            : `two fields are named '${node.field.name}'`,
          { remedy: other.field === node.field ? 'place each field once' : 'rename one of them' },
        ),
      );
    else first.set(node.field.name, node);
    const joint = node.stored?.joint;
    const apart = joint ? nodes.findIndex((n) => isApart(n, node)) : -1;
    if (joint && apart >= 0 && apart < node.id)
      problems.push(
        error(
          'layout/format',
          `fields '${nodes[apart].field!.name}' and '${node.field.name}' share '${joint.by.name}', and lie in different words`,
          { remedy: 'place them in one bit struct, or give names of their own to what they share' },
        ),
      );
    const { axes, extents, unbounded } = placed(nodes, node.id, node.field);
    const { name, axes: declared } = node.field;
    if (declared && declared.join() !== axes.join())
      problems.push(
        error(
          'layout/axes',
          `field '${name}' is declared over ${axesText(declared)}, and placed over ${axesText(axes)}`,
          {
            remedy: 'place it under nodes that split the axes of its declaration, and no others',
          },
        ),
      );
    if (!unbounded && extents.some((n) => n > MAX_INDEX))
      problems.push(
        error('layout/too-large', `field '${node.field.name}' has indices up to ${Math.max(...extents) - 1}`, {
          remedy: 'an index has 31 bits: make the nodes smaller',
        }),
      );
  }
  return problems;
};

/** Whether two fields are said to share something, but lie in different words. */
const isApart = ({ stored: a }: SNode, { stored: b }: SNode): boolean =>
  a?.joint !== undefined && a.joint.by.name === b?.joint?.by.name && a.word !== b.word;

const axesText = (axes: readonly number[]): string => (axes.length === 0 ? 'none' : axes.map(axisName).join(''));

const MAX_INDEX = 2 ** 31;

const placed = (nodes: readonly SNode[], id: number, field: FieldDecl): PlacedField => {
  const path = pathTo(nodes, id);
  const whole = path.reduce(
    (all, n) => all.map((extent, a) => extent * nodes[n].extents[a]),
    nodes[0].extents as readonly number[],
  );
  const axes = whole.flatMap((_, a) => (path.some((n) => nodes[n].axes.includes(a)) ? [a] : []));
  return {
    field,
    path,
    axes,
    extents: axes.map((a) => whole[a]),
    unbounded: path.some((n) => nodes[n].kind === 'hash'),
  };
};

/** The fields that have bits in the word of a field, that one among them. */
export const wordMates = ({ nodes }: Layout, { parent, stored }: SNode): readonly SNode[] =>
  nodes[parent].children.map((c) => nodes[c]).filter((n) => n.stored && n.stored.word === stored?.word);
