import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { bare } from '../../../source/ast.js';
import type { Context } from '../context/context.js';
import type { List, Members, Slot, Term } from '../context/term.js';

/*
 * Arrays and objects are references in JavaScript. Here a variable or member that holds one keeps it, and what it is assigned later goes into its parts:
 * that is the same as long as nobody else holds it. And where it is known only when the kernel runs which one is meant, its parts are copied: that is the
 * same as long as neither changes. Who holds what, and until when, is noted here; the rest is refused.
 */

/** Runs what has names of its own, which end with it. */
export const framed = <T>(cx: Context, run: (inner: Context) => T): T => {
  const { frames } = cx.session;
  const frame = cx.session.age();
  frames.add(frame);
  try {
    return run({ ...cx, frame });
  } finally {
    frames.delete(frame);
  }
};

/** Notes that a variable keeps an array or object. */
export const keptBy = (cx: Context, term: Term, frame = 0): void => note(cx.session.holders, term, frame);

/** Notes that an array or object is held: by a name until a frame ends, or for good as a part of another. */
export const holdItems = (cx: Context, term: Term, frame = 0): void => {
  keptBy(cx, term, frame);
  keepOrigins(cx, term, frame);
};

/** Notes that the arrays and objects in it are held by it. */
export const holdParts = (cx: Context, term: Term): void => {
  for (const part of partsOf(term)) holdItems(cx, part);
};

/** The arrays and objects in an array or object. */
export const partsOf = (term: Term): readonly Term[] => slotsOf(term).flatMap((slot) => heldBy(slot) ?? []);

/** The array or object that a variable or member holds. */
export const heldBy = (slot: Slot): Term | undefined => {
  const held = slot.is === 'pending' ? slot.slot : slot;
  return held?.is === 'constant' && hasItems(held.term) ? held.term : undefined;
};

/** Whether a variable, an item or a member, or what it is of, holds arrays or objects. */
export const isOfItems = (cx: Context, place: AnyNode): boolean => {
  const e = bare(place);
  if (e.type === 'ThisExpression') return cx.self !== undefined;
  if (e.type === 'MemberExpression' && isOfItems(cx, e.object)) {
    const held = heldIn(cx, e.object);
    return held === undefined || partsOf(held).length > 0;
  }
  return heldIn(cx, e) !== undefined;
};

/** The array or object that a variable holds. */
const heldIn = (cx: Context, node: AnyNode): Term | undefined => {
  const binding = cx.unit.text.parsed.scopes.bindingOf(bare(node));
  const slot = binding && cx.env.lookup(binding);
  return slot && heldBy(slot);
};

/** Refuses to assign to the parts of an array or object in place of itself, where another holds it. */
export const refuseHeld = (cx: Context, node: AnyNode, term: Term): void => {
  if (alive(cx, cx.session.holders, term) > 1) rare().refuseSharing(cx, node, 'held');
  refuseCopied(cx, node, term);
};

/** Refuses to make an array or object a copy of what others hold, in a loop in which its parts are assigned to: there they would be of the original. */
export const refuseWritten = (cx: Context, node: AnyNode, term: Term): void => {
  const { assignedParts, made } = cx.session;
  if (assignedParts.has(term) && cx.looped && made.get(term)?.stretch !== cx.stretch)
    rare().refuseSharing(cx, node, 'written');
};

/** Whether no more than so many hold an array or object. */
export const isHeldBy = (cx: Context, term: Term, most: number): boolean =>
  alive(cx, cx.session.holders, term) <= most && alive(cx, cx.session.kept, term) === 0;

/** Notes of what an array or object is the copy, which may change. */
export const noteOrigin = (cx: Context, copy: Term, from: Term): void => {
  const { origins, snapshots } = cx.session;
  snapshots.add(copy);
  origins.set(copy, [...(origins.get(copy) ?? []), from]);
};

/** Notes that a copy has a name until a frame ends: until then what it is the copy of stays as it is. */
const keepOrigins = (cx: Context, copy: Term, frame: number, seen = new Set<Term>()): void => {
  if (seen.has(copy)) return;
  seen.add(copy);
  for (const from of cx.session.origins.get(copy) ?? []) {
    note(cx.session.kept, from, frame);
    keepOrigins(cx, from, frame, seen);
  }
  for (const part of partsOf(copy)) keepOrigins(cx, part, frame, seen);
};

/** Refuses to change an array or object of which a name or a part of another holds a copy. */
export const refuseCopied = (cx: Context, node: AnyNode, term: Term): void => {
  if (alive(cx, cx.session.kept, term) === 0) return;
  cx.session.changesCopied();
  rare().refuseSharing(cx, node, 'copied');
};

const note = (of: WeakMap<object, number[]>, term: Term, frame: number): void => {
  const known = of.get(term);
  if (known) known.push(frame);
  else of.set(term, [frame]);
};

const alive = (cx: Context, of: WeakMap<object, number[]>, term: Term): number =>
  of.get(term)?.filter((frame) => cx.session.frames.has(frame)).length ?? 0;

export const slotsOf = (term: Term): readonly Slot[] =>
  term.is === 'list' ? term.items : term.is === 'members' ? [...term.members.values()] : [];

export const hasItems = (term: Term): term is List | Members => term.is === 'list' || term.is === 'members';
