import type { Attrs, Builder, Value } from '@filigree/ir';
import { allocates, axesAbove, axesOf, isSparse, pathTo, type Layout, type SNode } from '../layout/layout.js';
import { hasBorder, hasRows } from '../storage/margins.js';
import { elementsBelow } from '../storage/storage.js';

/** How a cell is reached. */
export interface PathOptions {
  /** Whether the cells on the way are activated. */
  readonly activate?: boolean;
  /** A promise that all cells on the way are active, within bounds: then none is activated, even if they are to be. */
  readonly known?: boolean;
  /** The place in the program, for messages. */
  readonly site?: number;
  /** A promise that every index is within its bounds, so that none is clamped. */
  readonly inRange?: boolean;
  /** Whether an index is no sum of loop counters, so that no part of a loop is known to stay within bounds. */
  readonly isWild?: (index: Value) => boolean;
}

/** Where a cell is: its number in a container (a hash table has none). */
export interface CellPath {
  readonly container: Value;
  readonly number: Value | undefined;
  /** Coordinates of the cell in the index space of its node's cells, where they were asked for. */
  readonly coordinates: readonly Value[];
  /** As `Reached` has them, for a lookup of the cell. */
  readonly guards: readonly Value[];
  /** Whether cells on the way to the element are allocated one by one. */
  readonly pooled: boolean;
  /** Whether a digit may be just past the last. */
  readonly past: boolean;
}

/** A cell or a container that a path leads to. */
export interface Reached {
  readonly place: Value;
  /**
   * i1, what still has to hold for the indices to be within bounds: what is done there is to be done only then. None where the
   * place otherwise is that of an ambient cell, or of a sink.
   */
  readonly guards: readonly Value[];
}

/**
 * Micro-accesses from the root to a cell of `node`, for an element of `leaf`, a field's node below it or the node itself.
 *
 * @param indices i32, one for each of `axesOf(layout, leaf)`
 */
export const cellOf = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf = node,
): Reached => {
  if (node === 0) return { place: b.value('snode.root'), guards: [] };
  return enter(b, layout, node, cellPathOf(b, layout, node, indices, options, leaf), options);
};

/** As `cellOf`, but only as far as the container: what `snode.is_active` takes. */
export const cellPathOf = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
  leaf = node,
): CellPath => {
  const axes = axesOf(layout, leaf);
  const pooled = pathTo(layout.nodes, leaf).some((n) => allocates(layout.nodes[n]));
  const bounds = axes.map((axis, n) => bounded(b, layout, leaf, axis, indices[n], pooled, options));
  const inside = new Map(axes.map((axis, n) => [axis, bounds[n].index]));
  const guards = bounds.flatMap(({ guard }) => guard ?? []);
  const past = new Set(bounds.flatMap((bound) => bound.past ?? []));
  return descend(b, layout, node, { leaf, pooled, past, index: (axis) => inside.get(axis)!, guards }, options);
};

/** The container of `node` in the cell of its parent with these indices, one for each of `axesAbove(layout, node)`. */
export const containerOf = (
  b: Builder,
  layout: Layout,
  node: number,
  indices: readonly Value[],
  options: PathOptions,
): Reached => {
  const { place, guards } = cellOf(b, layout, layout.nodes[node].parent, indices, options);
  return { place: b.value('snode.child', [place], { node: layout.nodes[node].name }), guards };
};

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

/**
 * An index that leads to a cell wherever it points, and whether it is within its bounds, if that is to be asked: not where a slot
 * or a cell just behind the last stands for what is outside. Of a list that is written it is asked, as a list that is too short
 * for an index is full, and one for an index below zero is not.
 */
const bounded = (
  b: Builder,
  layout: Layout,
  leaf: number,
  axis: number,
  index: Value,
  pooled: boolean,
  { inRange, activate, isWild }: PathOptions,
): Bounded => {
  const extent = extentAlong(layout, leaf, axis);
  if (inRange || extent === undefined) return { index };
  const outermost = pathTo(layout.nodes, leaf)
    .map((n) => layout.nodes[n])
    .find((n) => n.axes.includes(axis))!;
  const clamp = (most: number, past = false): Value =>
    b.value('snode.clamp', [index], { extent: most, ...(past ? { past } : {}) });
  const inside = (clamped: Value): Value => b.value('snode.inside', [clamped, index]);
  const list = outermost.kind === 'dynamic';
  const row = !pooled && isRowAxis(layout, outermost, axis) && isWild?.(index) === true;
  if (list || row || hasBorder(outermost))
    return {
      index: clamp(extent, true),
      past: outermost.id,
      ...(list && activate ? { guard: inside(clamp(MOST)) } : {}),
    };
  const clamped = clamp(extent);
  return { index: clamped, guard: inside(clamped) };
};

interface Bounded {
  readonly index: Value;
  /** i1, whether the index is within bounds, if that is to be asked. */
  readonly guard?: Value;
  /** The node of which the index may have a digit just past the last. */
  readonly past?: number;
}

/** Whether digits of a node along an axis are numbers of rows, with two more behind the last (see `NodeStorage`). */
const isRowAxis = (layout: Layout, { id, axes, morton, bitmasked }: SNode, axis: number): boolean =>
  hasRows(layout, id) && !morton && !bitmasked && axis === axes[0];

/** Indices are below this. */
const MOST = 2 ** 31;

/** Where a path leads. */
interface Target {
  readonly leaf: number;
  /** As `CellPath` has it. */
  readonly pooled: boolean;
  /** Nodes of which a digit may be just past the last. */
  readonly past: ReadonlySet<number>;
  /** Indices that lead to a cell, by axis. */
  readonly index: (axis: number) => Value;
  /** i1, whether the indices are within bounds. */
  readonly guards: readonly Value[];
}

const descend = (b: Builder, layout: Layout, node: number, target: Target, options: PathOptions): CellPath => {
  const { nodes } = layout;
  const { leaf } = target;
  const { name, parent, axes, kind } = nodes[node];
  const around: Reached =
    parent === 0
      ? { place: b.value('snode.root'), guards: target.guards }
      : enter(b, layout, parent, descend(b, layout, parent, target, options), options);
  const container = b.value('snode.child', [around.place], { node: name });
  const above = axesAbove(layout, node);
  const made = new Map<string, Value>();
  const digit = (axis: number, extent: number): Value => {
    const key = `${axis} ${extent}`;
    const signed = extentAlong(layout, leaf, axis) === undefined;
    const below = elementsBelow(layout, node, leaf, axis);
    const value =
      made.get(key) ?? b.value('snode.extract', [target.index(axis)], { below, extent, ...(signed ? { signed } : {}) });
    made.set(key, value);
    return value;
  };
  const number =
    kind === 'hash'
      ? undefined
      : b.value(
          'snode.linearize',
          axes.map((axis) => digit(axis, above.includes(axis) ? nodes[node].extents[axis] : 0)),
          { node: name },
        );
  const wanted = kind === 'hash' || activatesAt(nodes[node], options);
  return {
    container,
    number,
    coordinates: wanted ? axesOf(layout, node).map((axis) => digit(axis, 0)) : [],
    guards: around.guards,
    pooled: target.pooled,
    past: target.past.has(node),
  };
};

/**
 * Looks up a cell. Guards are for what would be wrong outside of bounds: activating a cell, and finding one where another stands
 * for what is outside: of a pool or, on ways without one, of a row.
 */
const enter = (b: Builder, layout: Layout, node: number, path: CellPath, options: PathOptions): Reached => {
  const at = layout.nodes[node];
  const { guards, pooled, past } = path;
  const found = allocates(at) || (!pooled && hasRows(layout, node));
  const activates = activatesAt(at, options);
  const own = activates || found ? guards : [];
  const written = found && options.activate === true && !activates;
  const attrs = {
    node: at.name,
    ...attrsOf(layout, node, options),
    ...(written ? { written } : {}),
    ...(past ? { past } : {}),
  };
  const place = b.value('snode.lookup', [...operandsOf(path), ...own], attrs);
  return { place, guards: found ? [] : guards };
};

const activatesAt = (node: SNode, { activate, known }: PathOptions): boolean =>
  activate === true && known !== true && isSparse(node);

const attrsOf = (layout: Layout, node: number, { activate, known, site }: PathOptions): Attrs => {
  if (!isSparse(layout.nodes[node])) return {};
  return known ? { known } : activate ? { activate, site: site ?? 0 } : {};
};
