import type { AnyNode } from 'acorn';
import type { Context } from './context.js';
import { assignSlot, madeLike, pending } from './slots.js';
import type { Owner, Pending, Slot, Term } from './term.js';

/** A variable that begins as undefined or null; `key` says where it is declared, `compared` that it has no value there and nobody asks for one. */
export const nullable = (
  cx: Context,
  node: AnyNode,
  name: string,
  start: Term,
  owner: Owner,
  key: string,
  compared = false,
): Slot => {
  const made = pending(cx, node, name, compared, owner, true);
  const slot: Pending = { ...made, missing: { ...made.missing!, key, ...(compared && { compared, asked: true }) } };
  const shape = cx.session.known.shapes.get(key);
  if (shape) slot.slot = madeLike(cx, node, slot, shape);
  assignSlot(cx, node, slot, start);
  return slot;
};
