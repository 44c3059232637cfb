import type { AnyNode } from 'acorn';
import type { Context } from './context.js';
import { absence } from './missing.js';
import { isNumeric, readSlot, variable } from './slots.js';
import { holdItems, holdParts } from './sharing.js';
import type { List, Members, Slot, Term } from './term.js';

/**
 * An array or object that the kernel makes here. Its parts are what they are given, as long as nothing assigns to them but by the name that it is
 * declared with; where an attempt before found that something else does, a function that it is given to or a loop over what holds it, they are variables.
 */
export const made = <T extends List | Members>(cx: Context, node: AnyNode, term: T): T => {
  const { session, stretch } = cx;
  const site = `${cx.unit.name} ${node.start} ${node.end}`;
  const written = session.known.written.has(site);
  const own = written ? ofVariables(cx, node, term) : term;
  session.made.set(own, { site, stretch, written });
  holdParts(cx, own);
  return own;
};

/** Whether an array or object can get more parts here: where it surely runs, as often as it is made, and no other holds a copy. */
export const grows = (cx: Context, of: List | Members): boolean => {
  const { made: all, copies, copied, rebound } = cx.session;
  return all.get(of)?.stretch === cx.stretch && !copies.has(of) && !copied.has(of) && !rebound.has(of);
};

/** A part that is added to an array or object. */
export const part = (cx: Context, node: AnyNode, of: List | Members, term: Term): Slot => {
  const slot: Slot = { is: 'constant', term, what: 'constant' };
  holdItems(cx, term);
  return cx.session.made.get(of)?.written ? variablePart(cx, node, slot) : slot;
};

/* What a typed array holds is rounded to its type. */
const ofVariables = <T extends List | Members>(cx: Context, node: AnyNode, term: T): T => {
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
