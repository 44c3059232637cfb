import type { AnyNode } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { apart, compute, originOf, type Context } from '../context/context.js';
import { eachItem } from '../terms/items.js';
import { assignSlot, pending, readSlot, variable } from '../terms/slots.js';
import { nothing, type Sieve, type Slot, type Term } from '../context/term.js';

/** An item that an array is asked for one after the other. */
export interface Visit {
  readonly item: () => Term;
  readonly place: Scalar;
  /** Where that is decided when the kernel runs: whether it is there. */
  readonly there?: Scalar;
}

/** The items of an array, in turn. */
export const visitsOf = (cx: Context, e: AnyNode, of: Term): readonly Visit[] =>
  of.is === 'sieve'
    ? of.items.map(({ term, there, place }) => ({ item: () => term, there, place }))
    : eachItem(cx, e, of).map((item, k) => ({ item, place: literal(k) }));

/** The items of which these conditions hold. */
export const sieved = (cx: Context, e: AnyNode, items: readonly (readonly [Term, Scalar])[]): Sieve => {
  let length: Scalar = literal(0);
  const kept = items.map(([term, there]) => {
    const place = length;
    length = compute(cx, e, 'add', place, compute(cx, e, 'select', there, literal(1), literal(0)));
    return { term, there, place };
  });
  return { is: 'sieve', items: kept, length };
};

/** Does something with an item, if it is there. */
export const whereThere = (cx: Context, e: AnyNode, there: Scalar | undefined, act: (inner: Context) => void): void => {
  if (there === undefined) return act(cx);
  const then = cx.session.record(() => act(apart(cx)));
  cx.session.emit(originOf(cx, e), { do: 'if', condition: there, then, otherwise: [] });
};

/** A variable for what only some ways through the kernel give a value, and nobody reads after the others. */
export const promisedSlot = (cx: Context, e: AnyNode): Slot & { is: 'pending' } => {
  const item = pending(cx, e, 'item');
  return { ...item, missing: { ...item.missing!, promised: true as const } };
};

/** What a function makes of each item that is there. */
export const mapped = (
  cx: Context,
  e: AnyNode,
  of: Sieve,
  f: (cx: Context, item: Term, place: Scalar) => Term,
): Sieve => ({
  ...of,
  items: of.items.map((kept) => {
    const slot = promisedSlot(cx, e);
    whereThere(cx, e, kept.there, (inner) => assignSlot(inner, e, slot, f(inner, kept.term, kept.place)));
    return { ...kept, term: slot.slot ? readSlot(cx, e, slot.slot) : nothing };
  }),
});

/** What a function makes of a value and of each item that is there, one after the other. */
export const folded = (
  cx: Context,
  e: AnyNode,
  of: Sieve,
  first: Term,
  fromEnd: boolean,
  f: (cx: Context, so: Term, item: Term, place: Scalar, of: Term) => Term,
): Term => {
  const so = variable(cx, e, 'value', first);
  for (const { term, there, place } of fromEnd ? [...of.items].reverse() : of.items)
    whereThere(cx, e, there, (inner) => assignSlot(inner, e, so, f(inner, readSlot(inner, e, so), term, place, of)));
  return readSlot(cx, e, so);
};
