import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import type { Destination } from '../places/destination.js';
import { accessor } from '../calls/instance.js';
import { owner } from '../terms/part.js';
import { pending } from '../terms/slots.js';
import type { List, Members, Slot } from '../context/term.js';

/** Whether an array or object can get more parts here: where it surely runs, as often as it is made, and no other holds a copy. */
export const grows = (cx: Context, of: List | Members): boolean => {
  const { made, copies, copied, rebound } = cx.session;
  return made.get(of)?.stretch === cx.stretch && !copies.has(of) && !copied.has(of) && !rebound.has(of);
};

/** A member to assign to that an object does not have: one of a setter, or one that it gets. */
export const otherMember = (cx: Context, target: AnyNode, of: Members, name: string): Destination | undefined => {
  if (of.of) return accessor(cx, target, of, name);
  if (!grows(cx, of)) return undefined;
  const slot = pending(cx, target, name, false, owner(cx));
  (of.members as Map<string, Slot>).set(name, slot);
  return { to: 'slot', slot, name, binding: undefined };
};
