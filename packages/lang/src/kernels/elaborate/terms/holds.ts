import type { AnyNode } from 'acorn';
import { refuse, type Context } from '../context/context.js';
import type { Slot, Term, Variable } from '../context/term.js';

/*
 * Vectors are objects in JavaScript, and values here. That is the same as long as none is held by two names of which one assigns to
 * its components. Who holds a vector is noted with what it is; a second name for one that is assigned to is refused.
 */

/** Notes that a name has held a vector since then. */
export const hold = (cx: Context, term: Term, since: number = cx.session.age()): void => {
  if (term.is === 'shaped' && !cx.session.held.has(term)) cx.session.held.set(term, since);
};

/** Notes on what is read from a variable who holds it. */
export const holdRead = (cx: Context, slot: Variable, term: Term): void => {
  if (term.is !== 'shaped') return;
  const { session } = cx;
  const since = slot.owner?.since ?? session.holding.get(slot);
  if (since !== undefined) hold(cx, term, since);
  if ((slot.owner?.writes ?? 0) > 0) session.changing.set(term, slot);
  else if (session.changingIn.has(slot)) session.changing.set(term, undefined);
};

/** Notes on a variable without a name of its own, as `c ? v : w` is, who else holds what it is given. */
export const holdWritten = (cx: Context, slot: Variable, term: Term): void => {
  const { session } = cx;
  const since = session.held.get(term);
  if (since === undefined) return;
  session.holding.set(slot, Math.min(since, session.holding.get(slot) ?? since));
  if (session.changing.has(term)) session.changingIn.add(slot);
};

/** A part of a vector or matrix is held by who holds it. */
export const holdPart = (cx: Context, of: Term, part: Term): void => {
  const { session } = cx;
  if (part.is !== 'shaped' || of.is !== 'shaped') return;
  hold(cx, part, session.held.get(of) ?? -1);
  if (session.changing.has(of)) session.changing.set(part, undefined);
};

/** What a function returns: names that ended with it hold it no more. */
export const released = (cx: Context, term: Term): Term => {
  const freed = freedOf(cx, term);
  const missing = cx.session.missing.get(term);
  if (missing) cx.session.missing.set(freed, missing);
  return freed;
};

const freedOf = (cx: Context, term: Term): Term => {
  const { session } = cx;
  if (term.is === 'shaped') return (session.held.get(term) ?? -1) >= cx.since ? { ...term } : term;
  const freed = (slot: Slot): Slot => (slot.is === 'constant' ? { ...slot, term: released(cx, slot.term) } : slot);
  const changes = (slot: Slot): boolean => slot.is === 'constant' && released(cx, slot.term) !== slot.term;
  if (term.is === 'list') return term.items.some(changes) ? { ...term, items: term.items.map(freed) } : term;
  if (term.is !== 'members' || ![...term.members.values()].some(changes)) return term;
  return { ...term, members: new Map([...term.members].map(([name, slot]) => [name, freed(slot)])) };
};

/** Refuses a second name for a vector where one of the two assigns to components; `writes` is how deep this one does. */
export const refuseShared = (cx: Context, node: AnyNode, term: Term, writes: number): void => {
  const { session } = cx;
  if (term.is === 'list' || term.is === 'members') {
    const slots = term.is === 'list' ? term.items : [...term.members.values()];
    for (const slot of slots) if (slot.is === 'constant') refuseShared(cx, node, slot.term, writes - 1);
    return;
  }
  if (term.is !== 'shaped' || !(session.changing.has(term) || (writes > 0 && session.held.has(term)))) return;
  const matrix = term.shape.length === 2;
  refuse(
    cx,
    node,
    'lang/array-alias',
    `a ${matrix ? 'matrix' : 'vector'} whose components are assigned to would get a second name`,
    matrix ? 'make a copy: m.mul(1)' : 'make a copy: vec(v)',
  );
};
