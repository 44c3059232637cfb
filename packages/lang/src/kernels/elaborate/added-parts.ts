import type { AnyNode } from 'acorn';
import type { Context } from './context.js';
import type { Destination } from './destination.js';
import { accessor } from './instance.js';
import { absence } from './missing.js';
import { holdItems } from './sharing.js';
import { isNumeric, pending, readSlot, variable } from './slots.js';
import type { List, Members, Slot, Term } from './term.js';

/** Whether an array or object can get more parts here: where it surely runs, as often as it is made, and no other holds a copy. */
export const grows = (cx: Context, of: List | Members): boolean => {
  const { made, copies, copied, rebound } = cx.session;
  return made.get(of)?.stretch === cx.stretch && !copies.has(of) && !copied.has(of) && !rebound.has(of);
};

/** A part that is added to an array. */
export const part = (cx: Context, node: AnyNode, of: List, term: Term): Slot => {
  const slot: Slot = { is: 'constant', term, what: 'constant' };
  holdItems(cx, term);
  return cx.session.made.get(of)?.written ? variablePart(cx, node, slot) : slot;
};

/** A member to assign to that an object does not have: one of a setter, or one that it gets. */
export const otherMember = (cx: Context, target: AnyNode, of: Members, name: string): Destination | undefined => {
  if (of.of) return accessor(cx, target, of, name);
  if (!grows(cx, of)) return undefined;
  const slot = pending(cx, target, name, false, owner(cx));
  (of.members as Map<string, Slot>).set(name, slot);
  return { to: 'slot', slot, name, binding: undefined };
};

/** An array or object whose parts are variables. What a typed array holds is rounded to its type. */
export const ofVariables = <T extends List | Members>(cx: Context, node: AnyNode, term: T): T => {
  if (term.is === 'list' && term.element !== undefined)
    return readSlot(cx, node, variable(cx, node, 'item', term, owner(cx))) as T;
  const own = (slot: Slot): Slot => variablePart(cx, node, slot);
  return term.is === 'list'
    ? { ...term, items: term.items.map(own) }
    : { ...term, members: new Map([...term.members].map(([name, slot]) => [name, own(slot)])) };
};

/** Arrays and objects in it are made where they stand themselves. */
const variablePart = (cx: Context, node: AnyNode, slot: Slot): Slot => {
  const term = readSlot(cx, node, slot);
  return isNumeric(term) || absence(term) !== undefined ? variable(cx, node, 'item', term, owner(cx)) : slot;
};

const owner = (cx: Context): { readonly since: number; readonly writes: number } => ({
  since: cx.session.age(),
  writes: 0,
});
