import type { AnyNode, AssignmentExpression, MemberExpression, UpdateExpression } from 'acorn';
import { byteSize, isInteger } from '@filigree/ir';
import { bare } from '../../rewrite/ast.js';
import type { Binding } from '../../rewrite/scope.js';
import { shapeText } from '../../vocabulary/algebra.js';
import { literal, typeOfPlace, type AtomicKind, type Place, type Scalar } from '../code/code.js';
import { atomic, load, store } from './access.js';
import { asScalar, compute, originOf, refuse, unsupported, type Context } from './context.js';
import { binaryOperation, condition, itemsOf, reference, scalar, shortCircuit, value } from './expression.js';
import { indexed, isWhole, knownIndex, loaded, named, placeOfArray, placesOf } from './member.js';
import { resolve } from './names.js';
import { accumulate } from './reduction.js';
import { assignSlot, isOuter, readSlot, sameShape } from './slots.js';
import { nothing, shapeOfField, termText, type Element, type Slot, type Term } from './term.js';

/** `target = value` and `target op= value`; the result, if it is used, is what was assigned. */
export const assignment = (cx: Context, e: AssignmentExpression, used: boolean): Term => {
  const target = bare(e.left);
  if (e.operator === '=') {
    if (target.type === 'ArrayPattern' || target.type === 'ObjectPattern') {
      const from = value(cx, e.right);
      assignPattern(cx, target, from);
      return from;
    }
    return assign(cx, e, destination(cx, target), () => value(cx, e.right), e.right);
  }
  if (['&&=', '||='].includes(e.operator)) return logicalAssignment(cx, e, target);
  if (e.operator === '??=') return unsupported(cx, e, '`??=`', 'give the variable a value where it is declared');
  return compound(cx, e, destination(cx, target), e.operator.slice(0, -1), () => scalar(cx, e.right), used);
};

/** `x++`: the value is the old one, of `++x` the new. */
export const update = (cx: Context, e: UpdateExpression, used: boolean): Term => {
  const to = destination(cx, bare(e.argument));
  const after = compound(cx, e, to, e.operator === '++' ? '+' : '-', () => literal(1), used);
  if (!used || e.prefix || after.is === 'nothing') return after;
  return compute(cx, e, e.operator === '++' ? 'sub' : 'add', asScalar(cx, e, after), literal(1));
};

/** What is assigned to. */
type Destination =
  | { readonly to: 'slot'; readonly slot: Slot; readonly name: string; readonly binding: Binding | undefined }
  | { readonly to: 'element'; readonly element: Element | (Term & { is: 'array-element' }) }
  | { readonly to: 'items'; readonly items: readonly Slot[]; readonly index: Scalar };

const destination = (cx: Context, target: AnyNode): Destination => {
  if (target.type === 'Identifier') {
    const binding = cx.unit.text.parsed.scopes.bindingOf(target);
    const slot = resolve(cx, target);
    if (slot.is === 'constant' && !hasItems(slot.term)) refuseWrite(cx, target, target.name, slot.what, binding);
    if (binding?.kind === 'const') refuseWrite(cx, target, target.name, 'constant', binding);
    return { to: 'slot', slot, name: target.name, binding };
  }
  if (target.type !== 'MemberExpression')
    return unsupported(cx, target, 'an assignment to this', 'assign to a variable or an element');
  return memberDestination(cx, target);
};

const memberDestination = (cx: Context, target: MemberExpression): Destination => {
  const of = reference(cx, bare(target.object));
  const key = target.computed ? value(cx, target.property) : undefined;
  const name =
    key === undefined ? (target.property as { name: string }).name : key.is === 'host' ? String(key.value) : undefined;
  if (name !== undefined) {
    const slot = of.is === 'members' ? of.members.get(name) : undefined;
    if (slot) return itemDestination(cx, target, slot, name);
    if (of.is === 'shaped' || of.is === 'element') refuseComponent(cx, target);
    return refuse(
      cx,
      target,
      'lang/unknown-member',
      `${termText(of)} has no \`${name}\` to assign to`,
      'declare it where the object is made',
    );
  }
  const index = asScalar(cx, target.property, key!);
  if (of.is === 'shaped' || (of.is === 'element' && of.index.length > 0 && isWhole(cx, target, of)))
    return of.is === 'element' && of.field.is === 'scalar'
      ? refuse(
          cx,
          target,
          'lang/indices',
          `field '${of.field.name}' has ${of.index.length} indices, here it has one more`,
          'leave one out',
        )
      : refuseComponent(cx, target);
  if (of.is === 'list') {
    const k = knownIndex(cx, target, index, of.items.length);
    if (k !== undefined) return itemDestination(cx, target, of.items[k], `[${k}]`);
    return { to: 'items', items: of.items, index };
  }
  if (of.is === 'element' || of.is === 'array') {
    const element = indexed(cx, target, of, index);
    if (element.is === 'element' || element.is === 'array-element') return { to: 'element', element };
  }
  if (of.is === 'table' || of.is === 'host')
    return refuse(
      cx,
      target,
      'lang/captured-write',
      `\`${of.name}\` is of the surroundings, which a kernel only reads`,
      "pass it as an argument: array('f32', n)",
    );
  return refuse(
    cx,
    target,
    'lang/indices',
    `${termText(of)} has no elements to assign to`,
    'assign to a variable, an array or a field',
  );
};

const itemDestination = (cx: Context, target: AnyNode, slot: Slot, name: string): Destination =>
  slot.is === 'constant' && !hasItems(slot.term)
    ? refuse(
        cx,
        target,
        'lang/array-alias',
        'this array is written through another name than the one it was declared by',
        'write to it by that name, or return a new array',
      )
    : { to: 'slot', slot, name, binding: undefined };

const hasItems = (term: Term): boolean => term.is === 'list' || term.is === 'members';

const refuseComponent = (cx: Context, target: AnyNode): never =>
  refuse(
    cx,
    target,
    'lang/immutable-vector',
    'vectors and matrices never change: a component cannot be assigned to',
    'make a new one: v = vec(x, v.y)',
  );

const refuseWrite = (
  cx: Context,
  node: AnyNode,
  name: string,
  what: 'constant' | 'argument' | 'loop variable',
  binding: Binding | undefined,
): never => {
  if (binding === undefined)
    return refuse(
      cx,
      node,
      'lang/captured-write',
      `\`${name}\` is of the surroundings, which a kernel only reads`,
      'return the value, or write to a field',
    );
  return refuse(
    cx,
    node,
    what === 'argument' ? 'lang/argument-write' : 'lang/constant-write',
    `\`${name}\` is ${what === 'argument' ? 'an argument of the kernel' : `a ${what}`} and cannot be assigned to`,
    `copy it: let ${name}2 = ${name}`,
  );
};

/** A plain assignment; `made` computes the value after the target's indices, as JavaScript does. */
const assign = (cx: Context, e: AnyNode, to: Destination, made: () => Term, from: AnyNode): Term => {
  switch (to.to) {
    case 'slot': {
      const { slot } = to;
      if (slot.is === 'variable' && isOuter(cx, slot)) {
        const reduced = accumulate(cx, e, slot, to.binding, from);
        if (reduced) return nothing;
      }
      const term = made();
      assignSlot(cx, e, slot, term);
      return term;
    }
    case 'element': {
      const term = made();
      storeTerm(cx, e, to.element, term, from);
      return term;
    }
    case 'items': {
      const term = made();
      assignItem(cx, e, to, term);
      return term;
    }
  }
};

/** Writes a value to an element of a field or array. */
export const storeTerm = (
  cx: Context,
  e: AnyNode,
  element: Element | (Term & { is: 'array-element' }),
  term: Term,
  from: AnyNode,
): void => {
  if (element.is === 'array-element') return store(cx, e, placeOfArray(element), asScalar(cx, from, term));
  const places = placesOf(cx, e, element);
  const shape = shapeOfField(element.field);
  if (shape.length === 0) return store(cx, e, places[0], asScalar(cx, from, term));
  const { elements } = shapedFor(cx, from, term, shape, `field '${element.field.name}'`);
  places.forEach((place, k) => store(cx, e, place, elements[k]));
};

/** A term as a vector or matrix of this shape. */
export const shapedFor = (
  cx: Context,
  node: AnyNode,
  term: Term,
  shape: readonly number[],
  what: string,
): Term & { is: 'shaped' } =>
  term.is === 'shaped' && sameShape(term.shape, shape)
    ? term
    : refuse(
        cx,
        node,
        'lang/shape',
        `${what} holds a ${shapeText(shape)}, this is ${termText(term)}`,
        'make one: vec(x, y), mat([a, b], [c, d])',
      );

/** An item of an array at an index known only when the kernel runs. */
const assignItem = (cx: Context, e: AnyNode, to: Destination & { to: 'items' }, term: Term): void => {
  const at = originOf(cx, e);
  to.items.forEach((slot, k) => {
    if (slot.is === 'constant' && !hasItems(slot.term)) itemDestination(cx, e, slot, '');
    const condition = compute(cx, e, 'eq', to.index, literal(k));
    const then = cx.session.record(() => assignSlot(cx, e, slot, term));
    cx.session.emit(at, { do: 'if', condition, then, otherwise: [] });
  });
};

/** `target op= value`. On an element within a parallel loop sums, differences and bit operations are atomic. */
const compound = (
  cx: Context,
  e: AnyNode,
  to: Destination,
  token: string,
  right: () => Scalar,
  used: boolean,
): Term => {
  switch (to.to) {
    case 'slot': {
      const { slot } = to;
      if (slot.is === 'variable' && isOuter(cx, slot)) {
        accumulate(cx, e, slot, to.binding, { token, value: right() });
        return nothing;
      }
      const before = asScalar(cx, e, readSlot(cx, e, slot));
      const after = binaryOperation(cx, e, token, before, right());
      assignSlot(cx, e, slot, after);
      return after;
    }
    case 'element': {
      const place = scalarPlace(cx, e, to.element);
      return combine(cx, e, place, token, right, used);
    }
    case 'items': {
      const items = to.items.map((slot) => loaded(cx, e, readSlot(cx, e, slot)));
      const before = asScalar(
        cx,
        e,
        indexed(
          cx,
          e,
          { is: 'list', items: items.map((term) => ({ is: 'constant', term, what: 'constant' })) },
          to.index,
        ),
      );
      const after = binaryOperation(cx, e, token, before, right());
      assignItem(cx, e, to, after);
      return after;
    }
  }
};

/** `element op= value`. Integers of less than 32 bits wrap, provided that the value is one of them. */
const combine = (cx: Context, e: AnyNode, place: Place, token: string, right: () => Scalar, used: boolean): Term => {
  const type = typeOfPlace(place);
  const at = originOf(cx, e);
  const narrow = isInteger(type) && byteSize(type) < 4;
  const kind = cx.parallel ? atomicKinds[token] : undefined;
  if (kind === undefined) {
    const before = load(cx, e, place);
    const given = right();
    const after = binaryOperation(cx, e, token, before, given);
    if (narrow && token !== '/') cx.session.emit(at, { do: 'fits', place, value: given });
    store(cx, e, place, narrow && token !== '/' ? cx.session.cast(at, after, type) : after);
    return after;
  }
  const given = right();
  if (token !== '-') {
    const before = atomic(cx, e, place, kind, given);
    return used ? binaryOperation(cx, e, token, before, given) : nothing;
  }
  const negative = compute(cx, e, 'neg', given);
  if (isInteger(type)) cx.session.emit(at, { do: 'fits', place, value: given });
  const before = atomic(cx, e, place, kind, isInteger(type) ? cx.session.cast(at, negative, type) : negative);
  return used ? binaryOperation(cx, e, token, before, given) : nothing;
};

/** Kinds of atomics that compound assignments become. */
const atomicKinds: Readonly<Record<string, AtomicKind>> = { '+': 'add', '-': 'add', '&': 'and', '|': 'or', '^': 'xor' };

/** The one element of a scalar field or array. */
export const scalarPlace = (cx: Context, e: AnyNode, element: Element | (Term & { is: 'array-element' })): Place => {
  if (element.is === 'array-element') return placeOfArray(element);
  const places = placesOf(cx, e, element);
  return element.field.is === 'scalar'
    ? places[0]
    : refuse(
        cx,
        e,
        'lang/shape',
        `field '${element.field.name}' holds vectors or matrices, for which there is no such operator`,
        `write accumulate(${element.field.name}, …, v), or x[p] = x[p].add(v)`,
      );
};

const logicalAssignment = (cx: Context, e: AssignmentExpression, target: AnyNode): Term => {
  const and = e.operator === '&&=';
  const to = destination(cx, target);
  if (to.to !== 'slot') return unsupported(cx, e, `\`${e.operator}\` of an element`, 'write if (…) u[i] = …');
  const before = condition(cx, target);
  const after =
    typeof before === 'boolean'
      ? before === and
        ? scalar(cx, e.right)
        : literal(before)
      : shortCircuit(cx, e, before, and, () => scalar(cx, e.right));
  assignSlot(cx, e, to.slot, after);
  return after;
};

/** `[a, b] = …` and `{ a, b } = …` for names and elements that exist. */
const assignPattern = (cx: Context, pattern: AnyNode, from: Term): void => {
  switch (pattern.type) {
    case 'ArrayPattern': {
      const items = itemsOf(cx, pattern, from);
      return pattern.elements.forEach((p, k) => {
        if (!p) return;
        if (k >= items.length) return tooFew(cx, p, items.length);
        assignPattern(cx, p, items[k]);
      });
    }
    case 'ObjectPattern':
      return pattern.properties.forEach((p) => {
        if (p.type === 'RestElement' || p.computed) return unsupported(cx, p, 'this pattern', 'write the names');
        assignPattern(cx, p.value, memberOf(cx, p, from, p.key));
      });
    case 'AssignmentPattern':
      return assignPattern(cx, pattern.left, from.is === 'nothing' ? value(cx, pattern.right) : from);
    default:
      assign(cx, pattern, destination(cx, bare(pattern)), () => from, pattern);
  }
};

/** A property that a pattern names. */
export const memberOf = (cx: Context, node: AnyNode, from: Term, key: AnyNode): Term =>
  loaded(
    cx,
    node,
    named(cx, node, from, key.type === 'Identifier' ? key.name : String((key as { value?: unknown }).value)),
  );

export const tooFew = (cx: Context, node: AnyNode, length: number): never =>
  refuse(cx, node, 'lang/shape', `there are only ${length} to take apart`, 'leave names out');
