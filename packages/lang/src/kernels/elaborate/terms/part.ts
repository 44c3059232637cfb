import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import { absence } from './missing.js';
import { holdItems } from './sharing.js';
import { isNumeric, readSlot, variable } from './slots.js';
import type { List, Members, Slot, Term } from '../context/term.js';

/** A part that is added to an array or object. */
export const part = (cx: Context, node: AnyNode, of: List | Members, term: Term): Slot => {
  const slot: Slot = { is: 'constant', term, what: 'constant' };
  holdItems(cx, term);
  return cx.session.made.get(of)?.written ? variablePart(cx, node, slot) : slot;
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

/** Of a part that is a variable. */
export const owner = (cx: Context): { readonly since: number; readonly writes: number } => ({
  since: cx.session.age(),
  writes: 0,
});
