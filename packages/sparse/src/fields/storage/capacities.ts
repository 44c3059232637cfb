import { allocates, axesOf, hasNodes, isSparse, type Layout, type SNode } from '../layout/layout.js';
import { LINE, LOT, RESERVED_CELLS } from './lots.js';
import type { Shape } from './shapes.js';

/**
 * Cells that each node can have at once, over all its containers; pools include the reserved ones. Pools of which the layout does
 * not say how many cells they have share a budget of bytes evenly, but for what one of them could never use.
 */
export const capacitiesOf = (layout: Layout, shapes: readonly Shape[], budget: number): readonly number[] => {
  const open = layout.nodes.filter((n) => allocates(n) && n.cells === undefined);
  const bytesOf = ({ id, kind }: SNode): number => {
    const overhead = 16 + LINE / LOT + 4 * axesOf(layout, id).length + (kind === 'hash' ? 16 : 0);
    return shapes[id].cellBytes + overhead + listedIn(layout, shapes, id);
  };
  const most = filled(layout, shapes, () => Infinity);
  const parts = shared(
    open.map((n) => most[n.id] * bytesOf(n)),
    budget,
  );
  const wanted = new Map(open.map((n, k) => [n, Math.max(1, Math.floor(parts[k] / bytesOf(n)))]));
  return filled(layout, shapes, (n) => wanted.get(n)!);
};

/** Cells that each node can have, where pools that are open have as many as is said, or as there can be. */
const filled = (layout: Layout, shapes: readonly Shape[], open: (node: SNode) => number): readonly number[] => {
  const capacities: number[] = [];
  for (const node of layout.nodes) {
    const around = node.parent < 0 ? 1 : capacities[node.parent];
    const possible = node.kind === 'hash' ? Infinity : around * shapes[node.id].cells;
    capacities.push(allocates(node) ? RESERVED_CELLS + Math.min(possible, node.cells ?? open(node)) : possible);
  }
  return capacities;
};

/** Parts of a whole, by what each could use: the least first, so that what it leaves is shared by the others. */
const shared = (needs: readonly number[], whole: number): readonly number[] => {
  const parts = new Array<number>(needs.length);
  let left = whole;
  const order = needs.map((_, k) => k).sort((a, b) => (needs[a] === needs[b] ? 0 : needs[a] - needs[b]));
  order.forEach((k, n) => {
    parts[k] = Math.min(needs[k], left / (needs.length - n));
    left -= parts[k];
  });
  return parts;
};

/** Bytes that lists take for what lies in one cell of a node. */
const listedIn = (layout: Layout, shapes: readonly Shape[], id: number): number =>
  layout.nodes[id].children
    .map((c) => layout.nodes[c])
    .filter((child) => !child.field && !child.pointer)
    .reduce((sum, child) => {
      const own = isSparse(child) && hasNodes(layout, child) ? 4 : 0;
      return sum + shapes[child.id].cells * (own + listedIn(layout, shapes, child.id));
    }, 0);
