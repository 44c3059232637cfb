import type { Op, Region } from '@filigree/ir';
import { axesOf, isSparse, pathTo, type Layout } from '../layout/layout.js';
import { writtenBy } from '../access/field-dialect.js';
import { extentAlong } from '../access/path.js';
import { elementsBelow } from '../storage/storage.js';

/**
 * Whether an op in the body of a loop over the elements of node `own` reads or writes the element of its field with the very
 * coordinates of the iteration.
 */
export const isAtOwnElement = (layout: Layout, op: Op, { params }: Region, own: number): boolean => {
  const values = onElements.has(op.name) ? writtenBy(op) : undefined;
  const placed = layout.fields.get(String(op.attrs.field));
  return (
    values !== undefined &&
    placed !== undefined &&
    placed.axes.join() === axesOf(layout, own).join() &&
    op.operands.length === values + params.length &&
    params.every((p, n) => op.operands[values + n].id === p.id)
  );
};

const onElements = new Set(['field.load', 'field.store', 'field.store_word', 'field.atomic']);

/**
 * Whether an element of a field and the element of `own` with the same coordinates lie in one cell of `node`, which is around
 * both: then it is active in a loop over the elements of `own`.
 */
export const isAroundBoth = (layout: Layout, node: number, own: number, path: readonly number[]): boolean => {
  const leaf = path[path.length - 1];
  return (
    path.includes(node) &&
    pathTo(layout.nodes, own).includes(node) &&
    axesOf(layout, node).every(
      (axis) => elementsBelow(layout, node, leaf, axis) === elementsBelow(layout, node, own, axis),
    )
  );
};

/**
 * Whether each iteration finds an element of a field with its own coordinates, which no other iteration finds with its own,
 * within bounds and active.
 */
export const hasOwnElements = (layout: Layout, field: string, own: number): boolean => {
  const { path, axes } = layout.fields.get(field)!;
  const leaf = path[path.length - 1];
  const fits = axes.every((axis) => {
    const [most, there] = [extentAlong(layout, own, axis), extentAlong(layout, leaf, axis)];
    return there === undefined || (most !== undefined && most <= there);
  });
  return fits && path.every((n) => !isSparse(layout.nodes[n]) || isAroundBoth(layout, n, own, path));
};
