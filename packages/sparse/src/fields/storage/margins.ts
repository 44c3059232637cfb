import type { Layout, SNode } from '../layout/layout.js';

/**
 * Whether containers of a node have rows for what is out of bounds (see `Shape`). There is one such container at most, that
 * of a node below the root, and the rows are a small part of it, or small.
 */
export const hasRows = (layout: Layout, id: number): boolean => {
  const { kind, parent, pointer, morton, axes, extents } = layout.nodes[id];
  if (kind !== 'dense' || parent !== 0 || pointer) return false;
  const rows =
    extents.reduce((n, extent) => n * extent, 1) / (morton ? 1 : axes.slice(1).reduce((n, a) => n * extents[a], 1));
  return rows >= MANY_ROWS || valuesBelow(layout, id) <= FEW_VALUES;
};

/** Whether a container of a node has a border (see `Shape`). There is one such container at most. */
export const hasBorder = ({ kind, parent, pointer, morton }: SNode): boolean =>
  kind === 'dense' && parent === 0 && pointer && !morton;

const MANY_ROWS = 16;

const FEW_VALUES = 4096;

const valuesBelow = (layout: Layout, id: number): number => {
  const { field, extents, children } = layout.nodes[id];
  const inCell = children.reduce((sum, c) => sum + valuesBelow(layout, c), 0);
  return field ? 1 : extents.reduce((n, extent) => n * extent, inCell);
};
