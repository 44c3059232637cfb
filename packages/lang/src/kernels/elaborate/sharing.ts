import type { AnyNode } from 'acorn';
import { refuse, type Context } from './context.js';
import type { Slot, Term } from './term.js';

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

/** Notes that an array or object is held: by a name until a frame ends, or for good as a part of another. */
export const holdItems = (cx: Context, term: Term, frame?: number): void => note(cx.session.holders, term, frame ?? 0);

/** Notes that the arrays and objects in it are held by it. */
export const holdParts = (cx: Context, term: Term): void => {
  for (const part of partsOf(term)) holdItems(cx, part);
};

/** The arrays and objects in an array or object. */
const partsOf = (term: Term): readonly Term[] =>
  slotsOf(term).flatMap((slot) => (slot.is === 'constant' && hasItems(slot.term) ? [slot.term] : []));

/** Refuses to assign to the parts of an array or object in place of itself, where another holds it. */
export const refuseHeld = (cx: Context, node: AnyNode, term: Term): void => {
  if (alive(cx, cx.session.holders, term) > 1)
    refuse(
      cx,
      node,
      'lang/array-alias',
      'this array or object is held by another name or object too, which would change with it',
      'give that a copy: [...a], { ...o }',
    );
  refuseCopied(cx, node, term);
};

/** Notes of what an array or object is the copy, which may change. */
export const noteOrigin = (cx: Context, copy: Term, from: Term): void => {
  const { origins, snapshots } = cx.session;
  snapshots.add(copy);
  origins.set(copy, [...(origins.get(copy) ?? []), from]);
};

/** Notes that a copy has a name until a frame ends: until then what it is the copy of stays as it is. */
export const keepOrigins = (cx: Context, copy: Term, frame: number): void => {
  for (const from of cx.session.origins.get(copy) ?? []) {
    note(cx.session.kept, from, frame);
    keepOrigins(cx, from, frame);
  }
  for (const part of partsOf(copy)) keepOrigins(cx, part, frame);
};

/** Refuses to change an array or object of which a function that runs was given a copy. */
export const refuseCopied = (cx: Context, node: AnyNode, term: Term): void => {
  if (alive(cx, cx.session.kept, term) > 0)
    refuse(
      cx,
      node,
      'lang/array-alias',
      'this changes while a function runs that was given a copy of it, as which one is meant is known only when the kernel runs',
      'give the function its index, or a copy that stays: [...a], { ...o }',
    );
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

export const hasItems = (term: Term): boolean => term.is === 'list' || term.is === 'members';
