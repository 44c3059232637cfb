import { rare } from '#rare';
import type { AnyNode, CallExpression, Identifier } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { bare } from '../../../source/ast.js';
import { apart, asScalar, compute, type Context } from '../context/context.js';
import { shortCircuit } from './short-circuit.js';
import { isOfTexts, isLiteral, isScalar, type Term } from '../context/term.js';
import { loaded } from '../terms/member.js';
import { itemsOf } from '../terms/items.js';
import { isMissing, missingOf } from '../terms/missing.js';
import { hasItems } from '../terms/sharing.js';
import { readSlot } from '../terms/slots.js';

/** What an expression stands for; an element of a field is not read yet. */
export const reference = (cx: Context, node: AnyNode): Term =>
  knownTerms.get(node) ?? cx.elaborator.expression(cx, node);

/** An argument whose value is known already, for what takes a call. */
export const known = (at: AnyNode, term: Term): Identifier => {
  const node: Identifier = { type: 'Identifier', name: 'argument', start: at.start, end: at.end };
  knownTerms.set(node, term);
  return node;
};

const knownTerms = new WeakMap<AnyNode, Term>();

/** The value of an expression: elements of fields and arrays are read. */
export const value = (cx: Context, node: AnyNode): Term => loaded(cx, node, reference(cx, node));

/** What is compared: a variable that has no value on some way here is undefined there, and so is an item behind the end of an array. */
export const compared = (cx: Context, node: AnyNode): Term => {
  const e = bare(node);
  const binding = cx.unit.text.parsed.scopes.bindingOf(e);
  const slot = binding && cx.env.lookup(binding);
  return slot && missingOf(cx, slot)?.compared
    ? readSlot(cx, e, slot, undefined, true)
    : cx.elaborator.ifThere(cx, node);
};

/** The value of an expression that must be a number or truth value. */
export const scalar = (cx: Context, node: AnyNode): Scalar => asScalar(cx, node, value(cx, node));

/** A condition: decided now where it is known, else a truth value, which numbers become as JavaScript has it. */
export const condition = (cx: Context, node: AnyNode): boolean | Scalar => {
  const e = bare(node);
  if (e.type === 'LogicalExpression' && e.operator !== '??') {
    const left = condition(cx, e.left);
    const and = e.operator === '&&';
    if (typeof left === 'boolean') return left === and ? condition(cx, e.right) : left;
    return shortCircuit(cx, e, left, and, () => {
      const right = condition(apart(cx), e.right);
      return typeof right === 'boolean' ? literal(right) : right;
    });
  }
  return truthOfTerm(cx, node, cx.elaborator.ifThere(cx, node));
};

/** Whether JavaScript takes a value for true: objects are, and what may be missing is where it is there. */
export const truthOfTerm = (cx: Context, node: AnyNode, term: Term): boolean | Scalar => {
  const flag = isMissing(cx, node, term);
  const there = flag && compute(cx, node, 'not', flag.is);
  if (term.is === 'mixed') {
    const own = rare().truthOfMixed(cx, node, term);
    return there ? (typeof own === 'boolean' ? (own ? there : false) : compute(cx, node, 'and', there, own)) : own;
  }
  const isObject =
    hasItems(term) ||
    ['shaped', 'closure', 'element', 'array', 'table'].includes(term.is) ||
    (term.is === 'one-of' && !isOfTexts(term));
  if (isObject) return there ?? true;
  if (there && !isScalar(term)) return there;
  if (there) return compute(cx, node, 'and', there, truthOf(cx, node, term as Scalar));
  const found = knownTruth(term) ?? asScalar(cx, node, term);
  return typeof found === 'boolean' ? found : truthOf(cx, node, found);
};

/** What JavaScript takes a value for where a truth value is wanted. */
export const truthOf = (cx: Context, node: AnyNode, x: Scalar): Scalar =>
  cx.session.isTruth(x) ? x : compute(cx, node, 'truth', x);

/** Whether JavaScript takes a value for true, where that is known now. */
export const knownTruth = (term: Term): boolean | undefined =>
  isLiteral(term) || term.is === 'host' ? Boolean(term.value) : term.is === 'nothing' ? false : undefined;

/** The values of a call's arguments; of fields whole rows may be given, elements are read. */
export const argumentsOf = (cx: Context, e: Pick<CallExpression, 'arguments'>): readonly Term[] =>
  e.arguments.flatMap((a) =>
    a.type === 'SpreadElement' ? itemsOf(cx, a.argument, value(cx, a.argument)) : [value(cx, a)],
  );
