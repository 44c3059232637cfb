import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import { areScalars, type Shaped, type Term } from '../context/term.js';
import { itemsOf } from '../terms/items.js';
import { sameShape } from '../terms/slots.js';

/** An array of numbers, or of rows, as the vector or matrix of this shape; undefined of one of another. */
export const shapedOfArray = (cx: Context, node: AnyNode, term: Term, shape: readonly number[]): Shaped | undefined => {
  if (term.is !== 'list' && term.is !== 'table') return undefined;
  const items = itemsOf(cx, node, term);
  if (items.length !== shape[0]) return undefined;
  if (shape.length === 1) return areScalars(items) ? { is: 'shaped', shape, elements: items } : undefined;
  const rows = items.map((row) =>
    row.is === 'shaped' && sameShape(row.shape, shape.slice(1)) ? row : shapedOfArray(cx, node, row, shape.slice(1)),
  );
  return rows.every((row) => row !== undefined)
    ? { is: 'shaped', shape, elements: rows.flatMap((row) => row.elements) }
    : undefined;
};
