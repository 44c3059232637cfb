import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { children, isFunction, type FunctionNode } from '../../../source/ast.js';
import type { Context } from '../context/context.js';
import { memberName } from './member-name.js';
import { hasItems, isHeldBy, slotsOf } from './sharing.js';
import { hasVariables, readSlot } from './slots.js';
import type { List, Members, Slot, Term } from '../context/term.js';

/**
 * What a function returns that it made itself: names that ended with it see it no more, and so it is an array or object that has no name, of what its
 * parts are now. It stays as it is where something else may hold it: a part of another, a copy, a function that goes out with it.
 */
export const handedOut = (cx: Context, node: AnyNode, of: FunctionNode, term: Term): Term =>
  isOwn(cx, term, 1) && !keepsFunctions(of.body) ? renewed(cx, node, term) : term;

const renewed = (cx: Context, node: AnyNode, term: List | Members): Term => {
  const own = (slot: Slot): Slot => {
    const part = readSlot(cx, node, slot);
    return {
      is: 'constant',
      term: isOwn(cx, part, 2) && hasVariables(part) ? renewed(cx, node, part) : part,
      what: 'constant',
    };
  };
  const parts: List | Members =
    term.is === 'list'
      ? { ...term, items: term.items.map(own) }
      : { ...term, members: new Map([...term.members].map(([name, slot]) => [name, own(slot)])) };
  const { made } = cx.session;
  const { site, written } = made.get(term)!;
  const fresh = written ? rare().ofVariables(cx, node, parts) : parts;
  made.set(fresh, { site, stretch: cx.stretch, since: cx.session.age(), written });
  return fresh;
};

/** Whether the innermost call made it, and it is held by no more than so many. */
const isOwn = (cx: Context, term: Term, most: number): term is List | Members => {
  const { made, copies, copied, making, missing } = cx.session;
  const own = hasItems(term) ? made.get(term) : undefined;
  return (
    own !== undefined &&
    own.since >= cx.since &&
    !copies.has(term) &&
    !copied.has(term) &&
    !making.has(term) &&
    !missing.has(term) &&
    isHeldBy(cx, term, most) &&
    !slotsOf(term).some((slot) => slot.is === 'constant' && slot.term.is === 'closure')
  );
};

/** Whether functions in a body may be kept, and see later what it made: all but those that methods of arrays only call. */
const keepsFunctions = (body: AnyNode): boolean => {
  const before = known.get(body);
  if (before !== undefined) return before;
  const found = children(body).some((child) =>
    isFunction(child) ? !isArrayCall(body) || keepsFunctions(child.body) : keepsFunctions(child),
  );
  known.set(body, found);
  return found;
};

const isArrayCall = (node: AnyNode): boolean =>
  node.type === 'CallExpression' &&
  node.callee.type === 'MemberExpression' &&
  CALLING.has(memberName(node.callee) ?? '');

const CALLING: ReadonlySet<string> = new Set([
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'findLastIndex',
  'flatMap',
  'forEach',
  'map',
  'reduce',
  'reduceRight',
  'some',
  'toSorted',
]);

const known = new WeakMap<AnyNode, boolean>();
