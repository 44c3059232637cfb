import type { AnyNode } from 'acorn';
import type { Binding } from '../../../source/scope.js';
import type { Context } from '../context/context.js';
import { keyOf } from './pattern.js';
import { isSurelyGiven } from './surely-given.js';
import { assignSlot, madeLike, ownerOf, pending } from '../terms/slots.js';
import { nothing, type Owner, type Pending, type Slot, type Term } from '../context/term.js';

/** A variable that begins as undefined or null; `key` says where it is declared. */
export const nullable = (
  cx: Context,
  node: AnyNode,
  name: string,
  start: Term,
  owner: Owner,
  key: string,
  isCompared = false,
): Slot => {
  const made = pending(cx, node, name, isCompared, owner, true);
  const slot: Pending = {
    ...made,
    missing: { ...made.missing!, key, ...(isCompared && { compared: true, asked: true }) },
  };
  const shape = cx.session.known.shapes.get(key);
  if (shape) slot.slot = madeLike(cx, node, slot, ofThisAttempt(cx, shape));
  assignSlot(cx, node, slot, start);
  return slot;
};

/** What an attempt before found that a variable holds: its class, if the kernel declares that, is the one that this attempt has declared. */
const ofThisAttempt = (cx: Context, term: Term): Term => {
  const renewed = (item: Slot): Slot =>
    item.is === 'constant' ? { ...item, term: ofThisAttempt(cx, item.term) } : item;
  if (term.is === 'list') return { ...term, items: term.items.map(renewed) };
  if (term.is !== 'members') return term;
  const members = new Map([...term.members].map(([name, item]) => [name, renewed(item)]));
  return { ...term, members, ...(term.of && { of: cx.session.ownClasses.get(term.of.node) ?? term.of }) };
};

/** A variable that is declared without a value, which nobody asks for, and compared: undefined, where it is not given one on every way. */
export const compared = (cx: Context, node: AnyNode, binding: Binding): Slot =>
  binding.values.length === 1
    ? { is: 'constant', term: nothing, what: 'constant' }
    : isSurelyGiven(cx, binding)
      ? pending(cx, node, binding.name, true, ownerOf(cx, binding))
      : nullable(cx, node, binding.name, nothing, ownerOf(cx, binding), keyOf(cx, binding), true);
