import { type Attrs, type Builder, type Value } from '@filigree/ir';
import { axesAbove, axesOf, isSparse, pathTo, type Layout } from '../layout/layout.js';
import { elementsBelow } from '../storage/storage.js';

/** How a cell is reached. */
export interface PathOptions {
  /** Whether the cells on the way are activated. */
  readonly activate?: boolean;
  /** A promise that all cells on the way are active. */
  readonly known?: boolean;
  /** The place in the program, for messages. */
  readonly site?: number;
  /** A promise that every index is within its bounds, so that none is clamped. */
  readonly inRange?: boolean;
}

/** Where a cell is: its number in a container (a hash table has none). */
export interface CellPath {
  readonly container: Value;
  readonly number: Value | undefined;
  /** Coordinates of the cell in the index space of its node's cells, where they were asked for. */
  readonly coordinates: readonly Value[];
}

/**
 * Micro-accesses from the root to a cell of `node`, for an element of `leaf`, a field's node below it or the node itself.
 *
 * @param indices i32, one for each of `axesOf(layout, leaf)`
 */
export const buildCell = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf = node,
): Value => {
  if (node === 0) return b.value('snode.root');
  const at = buildCellPath(b, layout, node, indices, options, leaf);
  return b.value('snode.lookup', operandsOf(at), { node, ...attrsOf(layout, node, options) });
};

/** As `buildCell`, but only as far as the container: what `snode.is_active` takes. */
export const buildCellPath = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf = node,
): CellPath => {
  const axes = axesOf(layout, leaf);
  const inside = new Map(axes.map((axis, n) => [axis, bounded(b, layout, leaf, axis, indices[n], options)]));
  return descend(b, layout, node, leaf, (axis) => inside.get(axis)!, options);
};

/** The container of `node` in the cell of its parent with these indices, one for each of `axesAbove(layout, node)`. */
export const buildContainer = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
): Value => b.value('snode.child', [buildCell(b, layout, layout.nodes[node].parent, indices, options)], { node });

export const operandsOf = ({ container, number, coordinates }: CellPath): readonly Value[] => [
  container,
  ...(number ? [number] : []),
  ...coordinates,
];

/** Indices of a node's elements along an axis are below this; undefined where a hash table takes any. */
export const extentAlong = (layout: Layout, leaf: number, axis: number): number | undefined => {
  const path = pathTo(layout.nodes, leaf);
  if (path.some((n) => layout.nodes[n].kind === 'hash' && layout.nodes[n].axes.includes(axis))) return undefined;
  return path.reduce((extent, n) => extent * layout.nodes[n].extents[axis], 1);
};

/** A number of a list's cell that is too large goes to the spare cell when written, to the last one when read. */
const bounded = (
  b: Builder,
  layout: Layout,
  leaf: number,
  axis: number,
  index: Value,
  { inRange, activate }: PathOptions,
): Value => {
  const extent = extentAlong(layout, leaf, axis);
  if (inRange || extent === undefined) return index;
  const list = pathTo(layout.nodes, leaf).some(
    (n) => layout.nodes[n].kind === 'dynamic' && layout.nodes[n].axes.includes(axis),
  );
  return b.value('snode.clamp', [index], { extent: list && activate ? extent + 1 : extent });
};

const descend = (
  b: Builder,
  layout: Layout,
  node: number,
  leaf: number,
  index: (axis: number) => Value,
  options: PathOptions,
): CellPath => {
  const { nodes } = layout;
  const { parent, axes, kind } = nodes[node];
  const cell =
    parent === 0
      ? b.value('snode.root')
      : (() => {
          const at = descend(b, layout, parent, leaf, index, options);
          return b.value('snode.lookup', operandsOf(at), { node: parent, ...attrsOf(layout, parent, options) });
        })();
  const container = b.value('snode.child', [cell], { node });
  const above = axesAbove(layout, node);
  const made = new Map<string, Value>();
  const digit = (axis: number, extent: number): Value => {
    const key = `${axis} ${extent}`;
    const signed = extentAlong(layout, leaf, axis) === undefined;
    const below = elementsBelow(layout, node, leaf, axis);
    const value =
      made.get(key) ?? b.value('snode.extract', [index(axis)], { below, extent, ...(signed ? { signed } : {}) });
    made.set(key, value);
    return value;
  };
  const number =
    kind === 'hash'
      ? undefined
      : b.value(
          'snode.linearize',
          axes.map((axis) => digit(axis, above.includes(axis) ? nodes[node].extents[axis] : 0)),
          { node },
        );
  const wanted = kind === 'hash' || (options.activate === true && isSparse(nodes[node]));
  return { container, number, coordinates: wanted ? axesOf(layout, node).map((axis) => digit(axis, 0)) : [] };
};

const attrsOf = (layout: Layout, node: number, { activate, known, site }: PathOptions): Attrs => {
  if (!isSparse(layout.nodes[node])) return {};
  return activate ? { activate, site: site ?? 0 } : known ? { known } : {};
};
