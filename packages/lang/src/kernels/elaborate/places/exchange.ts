import type { AnyNode, ArrayPattern, AssignmentExpression, VariableDeclaration } from 'acorn';
import { bare, count } from '../../../source/ast.js';
import { assignPattern, give } from './assign.js';
import { atIndex } from './at-index.js';
import type { Context } from '../context/context.js';
import { destination, type Destination } from './destination.js';
import { value } from '../expressions/evaluate.js';
import { isSamePlace } from './same-place.js';
import { hasItems, isOfItems } from '../terms/sharing.js';
import { assignSlot, readSlot, setRebound } from '../terms/slots.js';
import { tupleOf, type Slot, type Term } from '../context/term.js';

/*
 * Variables or items exchange the arrays and objects that they hold, or pass them on in a ring. Here these exchange what is in them, which is the same as long as
 * nobody else holds one.
 */

/** `[a, b] = [b, a]`; undefined of what is no such assignment. */
export const exchanged = (cx: Context, e: AssignmentExpression, target: ArrayPattern): Term | undefined => {
  const right = bare(e.right);
  if (right.type !== 'ArrayExpression' || right.elements.length !== target.elements.length) return undefined;
  const [to, from] = [target.elements, right.elements].map(placesIn);
  if (to.length < 2 || to.length !== target.elements.length || from.length !== to.length) return undefined;
  if (!to.every((place) => from.filter((other) => isSamePlace(cx, place, other)).length === 1)) return undefined;
  const terms = from.map((place) => value(cx, place));
  if (terms.some(hasItems)) return tupleOf(exchange(cx, e, to, terms));
  assignPattern(cx, target, tupleOf(terms));
  return tupleOf(terms);
};

/** `const t = a; a = b; b = t;` of arrays or objects, where nothing else in the block is said of t: whether it is that, and was done. */
export const exchangedByThird = (
  cx: Context,
  block: readonly AnyNode[],
  { declarations }: VariableDeclaration,
  one: AssignmentExpression,
  other: AssignmentExpression,
): boolean => {
  const [{ id, init }] = declarations;
  if (declarations.length !== 1 || !init) return false;
  const { bindingOf } = cx.unit.text.parsed.scopes;
  const third = bindingOf(id);
  if (!third || bindingOf(bare(other.right)) !== third || !isOfItems(cx, one.left) || !isOfItems(cx, other.left))
    return false;
  const isThird = (node: AnyNode): boolean => node.type === 'Identifier' && bindingOf(node) === third;
  const isAlone = block.reduce((n, s) => n + count(s, isThird), 0) === 2;
  if (!isAlone || !isSamePlace(cx, one.left, init) || !isSamePlace(cx, other.left, one.right)) return false;
  const to = [one.left, other.left];
  const terms = [one.right, init].map((place) => value(cx, place));
  if (!terms.every(hasItems)) return false;
  exchange(cx, other, to, terms);
  return true;
};

/** Gives places what they are to hold, of arrays and objects what is in them now. */
const exchange = (
  cx: Context,
  e: AssignmentExpression,
  to: readonly AnyNode[],
  terms: readonly Term[],
): readonly Term[] => {
  const given = terms.map((term) => asItIs(cx, e, term));
  const places = to.map((place) => destination(cx, bare(place)));
  places.forEach((place, k) => put(cx, e, place, given[k]));
  return given;
};

const placesIn = (list: readonly (AnyNode | null)[]): readonly AnyNode[] =>
  list.filter((node) => node !== null).filter((node) => ['Identifier', 'MemberExpression'].includes(bare(node).type));

/** An array or object with what is in it now. */
const asItIs = (cx: Context, node: AnyNode, term: Term): Term => {
  const now = (slot: Slot): Slot => ({
    is: 'constant',
    term: asItIs(cx, node, readSlot(cx, node, slot)),
    what: 'constant',
  });
  if (term.is === 'list') return { ...term, items: term.items.map(now) };
  if (term.is !== 'members') return term;
  return { ...term, members: new Map([...term.members].map(([name, slot]) => [name, now(slot)])) };
};

const put = (cx: Context, e: AnyNode, to: Destination, term: Term): void => {
  if (to.to === 'items') return atIndex(cx, e, to, (item) => put(cx, e, item, term));
  if (to.to !== 'slot') return give(cx, e, to, term, e);
  assignSlot(cx, e, to.slot, term);
  setRebound(cx, to.slot);
};
