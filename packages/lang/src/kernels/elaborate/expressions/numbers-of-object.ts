import type { AnyNode } from 'acorn';
import { asNumber, originOf, type Context } from '../context/context.js';
import { loaded } from '../terms/member.js';
import { readSlot } from '../terms/slots.js';
import { isScalar, unshaped, type Members, type Term } from '../context/term.js';

/** An object of numbers, `{ least, count }`, which a launch gives back by their names: as f64, which holds what each of them is, as numbers of JavaScript do. */
export const numbersOfObject = (cx: Context, node: AnyNode, of: Members): Term => {
  const parts = [...of.members.values()].map((slot) => loaded(cx, node, readSlot(cx, node, slot)));
  if (parts.length === 0 || !parts.every(isScalar)) return of;
  const numbers = parts.map((part) => cx.session.cast(originOf(cx, node), asNumber(cx, node, part), 'f64'));
  return unshaped([numbers.length], numbers);
};
