import { rare } from '#rare';
import type { AnyNode, AssignmentExpression, AssignmentPattern, AssignmentProperty, UpdateExpression } from 'acorn';
import { componentsOf } from '@filigree/sparse/fields';
import { bare } from '../../../source/ast.js';
import { shapeText } from '../../vocabulary/algebra.js';
import { someInstruction, type AtomicKind, type Block, type Place } from '../../code/code.js';
import { addsCodes, atomic, combinedBits, load, sharedBy, store, storeCombined } from '../terms/access.js';
import {
  apart,
  asScalar,
  compute,
  originOf,
  refuse,
  takenAsThere,
  unsupported,
  type Context,
} from '../context/context.js';
import { eachNamed } from '../terms/items.js';
import { indexed, loaded, named, placeOfArray, placesOf } from '../terms/member.js';
import { atIndex } from './at-index.js';
import { destination, type Destination } from './destination.js';
import { accumulate, accumulated } from './reduction.js';
import { refuseShared } from '../terms/holds.js';
import { isOfItems } from '../terms/sharing.js';
import { assignSlot, isOuter, pending, readSlot, refuseSecondName, sameShape, setRebound } from '../terms/slots.js';
import { writtenItems } from '../terms/written-items.js';
import {
  nothing,
  shapeOfField,
  termText,
  tupleOf,
  type ArrayElement,
  type Element,
  type Term,
} from '../context/term.js';
import { binaryOperation } from '../expressions/binary-operation.js';
import { scalar, value } from '../expressions/evaluate.js';
import { eitherValue } from '../expressions/choice.js';
import type { Flag } from '../context/absence.js';
import { lacks, absence, isMissing, missingOf } from '../terms/missing.js';
import { given } from './given-item.js';
import { optional } from '../expressions/optional.js';
import { literal, type Scalar } from '../../code/scalar.js';

/** `target = value` and `target op= value`; the result, if it is used, is what was assigned. */
export const assignment = (cx: Context, e: AssignmentExpression, used: boolean): Term => {
  const target = bare(e.left);
  if (e.operator === '=') {
    const right = bare(e.right);
    const isExchange = right.type === 'ArrayExpression' && right.elements.some((x) => x && isOfItems(cx, x));
    const passed = isExchange && target.type === 'ArrayPattern' ? rare().exchanged(cx, e, target) : undefined;
    if (passed) return passed;
    if (target.type === 'ArrayPattern' || target.type === 'ObjectPattern') {
      const from = value(cx, e.right);
      assignPattern(cx, target, from);
      return from;
    }
    const begun = cx.self?.is === 'members' && cx.session.making.has(cx.self) ? rare().initial(cx, e) : undefined;
    return begun ?? assign(cx, e, destination(cx, target), () => given(cx, target, e.right), e.right);
  }
  if (['&&=', '||='].includes(e.operator)) return logicalAssignment(cx, e, target, used);
  if (e.operator === '??=') {
    const before = optional(cx, target);
    const flag = isMissing(cx, e, before);
    if (flag) return assignWhere(cx, e, flag, target, used);
    if (!absence(before)) return before;
    const to = destination(cx, target);
    const made = assign(cx, e, to, () => value(cx, e.right), e.right);
    const missing = to.to === 'slot' && missingOf(cx, to.slot);
    if (missing) missing.asked = true;
    return made;
  }
  const right = (): Scalar => scalar(cx, e.right);
  return compound(cx, e, destination(cx, target), e.operator.slice(0, -1), right, used ? 'after' : 'nothing');
};

/** `x++`: the value is the old one, of `++x` the new. */
export const update = (cx: Context, e: UpdateExpression, used: boolean): Term => {
  const to = destination(cx, bare(e.argument));
  const wanted = !used ? 'nothing' : e.prefix ? 'after' : 'before';
  return compound(cx, e, to, e.operator === '++' ? '+' : '-', () => literal(1), wanted);
};

/** Which value of what is assigned to an assignment stands for. */
type Wanted = 'before' | 'after' | 'nothing';

/** A plain assignment; `made` computes the value after the target's indices, as JavaScript does. */
const assign = (cx: Context, e: AnyNode, to: Destination, made: () => Term, from: AnyNode): Term => {
  const outer = accumulated(cx, to);
  if (outer) return accumulate(cx, e, outer, e.type === 'AssignmentExpression' ? e.left : e, from);
  switch (to.to) {
    case 'slot': {
      const { slot } = to;
      const term = made();
      if (cx.session.hasLeft()) return term;
      const own = 'owner' in slot ? slot.owner : undefined;
      if (!to.copied)
        refuseShared(cx, from, term, (to.binding ? writtenItems(cx.unit).get(to.binding) : own?.writes) ?? 0);
      give(cx, e, to, term, from);
      return term;
    }
    case 'element': {
      const term = made();
      if (!cx.session.hasLeft()) storeTerm(cx, e, to.element, term, from);
      return term;
    }
    case 'items':
    case 'accessor': {
      const term = made();
      if (cx.session.hasLeft()) return term;
      if (to.to === 'items') refuseShared(cx, from, term, 1);
      give(cx, e, to, term, from);
      return term;
    }
  }
};

/** Writes what is known already to a place. */
export const give = (cx: Context, e: AnyNode, to: Destination, term: Term, from: AnyNode): void => {
  switch (to.to) {
    case 'slot': {
      /* What a constructor gives a member first is no other than it had. */
      const isMaking = cx.self?.is === 'members' && cx.session.making.has(cx.self);
      const begins = isMaking && to.slot.is === 'pending' && !to.slot.slot;
      assignSlot(cx, e, to.slot, term);
      refuseSecondName(cx, e, term, to.slot);
      return begins ? undefined : setRebound(cx, to.slot);
    }
    case 'element':
      return storeTerm(cx, e, to.element, term, from);
    case 'items':
      return atIndex(cx, e, to, (item) => give(cx, e, item, term, from));
    case 'accessor':
      return to.set(term);
  }
};

/** Writes a value to an element of a field or array. */
export const storeTerm = (
  cx: Context,
  e: AnyNode,
  element: Element | ArrayElement,
  term: Term,
  from: AnyNode,
): void => {
  if (element.is === 'array-element') return store(cx, e, placeOfArray(element), asScalar(cx, from, term));
  const places = placesOf(cx, e, element);
  const shape = shapeOfField(element.field);
  if (shape.length === 0) return store(cx, e, places[0], asScalar(cx, from, term));
  const { elements } = shapedFor(cx, from, term, shape, `field '${element.field.name}'`);
  const isJoint = sharedBy(cx, places[0]) !== undefined;
  places.forEach((place, k) => store(cx, e, place, elements[k], isJoint && k < places.length - 1));
};

/** A term as a vector or matrix of this shape: it may be an array of numbers, or of rows. */
export const shapedFor = (
  cx: Context,
  node: AnyNode,
  term: Term,
  shape: readonly number[],
  what: string,
): Term & { is: 'shaped' } =>
  term.is === 'shaped' && sameShape(term.shape, shape)
    ? takenAsThere(cx, node, term)
    : (rare().shapedOfArray(cx, node, term, shape) ??
      refuse(
        cx,
        node,
        'lang/shape',
        `${what} holds a ${shapeText(shape)}, this is ${termText(term)}`,
        'make one: vec(x, y), mat([a, b], [c, d])',
      ));

/** What is there before. */
const readDestination = (cx: Context, e: AnyNode, to: Destination): Term => {
  switch (to.to) {
    case 'slot':
      return loaded(cx, e, readSlot(cx, e, to.slot));
    case 'element':
      return loaded(cx, e, to.element);
    case 'items': {
      const slots = to.items.flatMap((item) => (item.to === 'slot' ? [item.slot] : []));
      /* Of an array itself one item is read. */
      const of =
        slots.length === to.items.length
          ? { ...tupleOf([]), items: slots }
          : tupleOf(to.items.map((item) => readDestination(cx, e, item)));
      return indexed(cx, e, of, to.index);
    }
    case 'accessor':
      return loaded(cx, e, to.get());
  }
};

/**
 * `target op= value`. On an element within a parallel loop sums, differences and bit operations are atomic, and elsewhere sums and differences that
 * add codes.
 */
const compound = (
  cx: Context,
  e: AnyNode,
  to: Destination,
  token: string,
  right: () => Scalar,
  wanted: Wanted,
): Term => {
  const outer = accumulated(cx, to);
  if (outer) return accumulate(cx, e, outer, e, { token, value: right });
  switch (to.to) {
    case 'slot': {
      const { slot } = to;
      const before = asScalar(cx, e, readSlot(cx, e, slot));
      const after = binaryOperation(cx, e, token, before, right());
      assignSlot(cx, e, slot, after);
      return wanted === 'before' ? before : after;
    }
    case 'element': {
      const place = scalarPlace(cx, e, to.element);
      return combine(cx, e, place, token, right, wanted);
    }
    case 'items':
    case 'accessor': {
      if (
        to.to === 'items' &&
        atomicKinds[token] &&
        isOfField(to) &&
        (cx.parallel || (sums.has(token) && isOfCodes(cx, to)))
      )
        return combineItem(cx, e, to, token, right, wanted);
      const before = asScalar(cx, e, readDestination(cx, e, to));
      const after = binaryOperation(cx, e, token, before, right());
      give(cx, e, to, after, e);
      return wanted === 'before' ? before : after;
    }
  }
};

/** Whether items are components of an element. */
const isOfField = (to: Destination & { to: 'items' }): boolean =>
  to.items.every((item) => item.to === 'element' || (item.to === 'items' && isOfField(item)));

/** Whether sums into such components add codes. */
const isOfCodes = (cx: Context, to: Destination & { to: 'items' }): boolean =>
  to.items.some((item) =>
    item.to === 'items'
      ? isOfCodes(cx, item)
      : item.to === 'element' && item.element.is === 'element' && addsCodes(cx, componentsOf(item.element.field)[0]),
  );

/** `element[k] op= value` in a parallel loop, which is atomic as it is for an element of numbers. */
const combineItem = (
  cx: Context,
  e: AnyNode,
  to: Destination & { to: 'items' },
  token: string,
  right: () => Scalar,
  wanted: Wanted,
): Term => {
  const given = right();
  const result = wanted === 'nothing' ? undefined : pending(cx, e, 'item');
  const each = (of: Destination & { to: 'items' }): void =>
    atIndex(cx, e, of, (item) => {
      if (item.to === 'items') return each(item);
      const term = compound(cx, e, item, token, () => given, wanted);
      if (result) assignSlot(cx, e, result, term);
    });
  each(to);
  return result ? readSlot(cx, e, result) : nothing;
};

/** `element op= value`. */
const combine = (cx: Context, e: AnyNode, place: Place, token: string, right: () => Scalar, wanted: Wanted): Term => {
  const isSum = sums.has(token) && place.of === 'field' && addsCodes(cx, place.field);
  let given: Scalar = literal(0);
  const code = cx.session.record(() => (given = right()));
  /* What is added may change the element itself, of which the value before counts: `u[i] += (u[i] -= 3)`. */
  const kind = (cx.parallel || isSum) && !writesTo(code, place) ? atomicKinds[token] : undefined;
  if (kind === undefined) {
    const before = load(cx, e, place);
    cx.session.append(code);
    const after = binaryOperation(cx, e, token, before, given);
    if (token === '/') store(cx, e, place, after);
    else if (shifts.has(token)) storeCombined(cx, e, place, given, combinedBits(cx, e, place, undefined, after));
    else if (bits.has(token)) storeCombined(cx, e, place, given, combinedBits(cx, e, place, given, after), true);
    else storeCombined(cx, e, place, given, after);
    return wanted === 'before' ? before : after;
  }
  /* Where nothing comes between, what was there is known without. */
  const there = cx.parallel || wanted === 'nothing' ? undefined : load(cx, e, place);
  cx.session.append(code);
  const result = (old: Scalar, before = there ?? old): Term =>
    wanted === 'after' ? binaryOperation(cx, e, token, before, given) : wanted === 'before' ? before : nothing;
  return result(atomic(cx, e, place, kind, given, token === '-'));
};

/** Whether code changes what lies in the same field or array. */
const writesTo = (code: Block, place: Place): boolean =>
  someInstruction(
    code,
    (i) =>
      (i.do === 'store' || i.do === 'atomic') &&
      (place.of === 'field'
        ? i.place.of === 'field' && i.place.field === place.field
        : i.place.of === 'buffer' && i.place.buffer === place.buffer),
  );

/** Compound assignments of bits, by others and by an amount. */
const bits: ReadonlySet<string> = new Set(['&', '|', '^']);
const shifts: ReadonlySet<string> = new Set(['<<', '>>']);

/** Compound assignments that are sums. */
const sums: ReadonlySet<string> = new Set(['+', '-']);

/** Kinds of atomics that compound assignments become. */
const atomicKinds: Readonly<Record<string, AtomicKind>> = { '+': 'add', '-': 'add', '&': 'and', '|': 'or', '^': 'xor' };

/** The one element of a scalar field or array. */
export const scalarPlace = (cx: Context, e: AnyNode, element: Element | ArrayElement): Place => {
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

/** `x ??= value`, of what may be missing. */
const assignWhere = (cx: Context, e: AssignmentExpression, flag: Flag, target: AnyNode, used: boolean): Term => {
  const to = destination(cx, target);
  const then = cx.session.record(() => {
    const inner = apart(cx);
    assign(inner, e, to, () => value(inner, e.right), e.right);
  });
  cx.session.emit(originOf(cx, e), { do: 'if', condition: flag.is, then, otherwise: [] });
  return used ? readDestination(cx, e, to) : nothing;
};

const logicalAssignment = (cx: Context, e: AssignmentExpression, target: AnyNode, used: boolean): Term => {
  const and = e.operator === '&&=';
  const to = destination(cx, target);
  if (to.to !== 'slot') return assignIf(cx, e, to, and, used);
  const { slot } = to;
  if (slot.is === 'variable' && isOuter(cx, slot) && rare().decidesBy(cx, e, slot)) return nothing;
  const after = eitherValue(cx, e, target, loaded(cx, target, readSlot(cx, target, slot)), and, e.right);
  assignSlot(cx, e, to.slot, after);
  const missing = missingOf(cx, to.slot);
  if (missing && !and) missing.asked = true;
  return after;
};

/** `element ||= value`: written only where what is there does not decide, as JavaScript has it. */
const assignIf = (cx: Context, e: AssignmentExpression, to: Destination, and: boolean, used: boolean): Term => {
  const before = asScalar(cx, e.left, readDestination(cx, e, to));
  const result = used ? pending(cx, e, 'value') : undefined;
  if (result) assignSlot(cx, e, result, before);
  const run = cx.session.record(() => {
    const inner = apart(cx);
    const term = assign(inner, e, to, () => value(inner, e.right), e.right);
    if (result) assignSlot(cx, e, result, term);
  });
  const condition = cx.session.isTruth(before) ? before : compute(cx, e, 'truth', before);
  cx.session.emit(originOf(cx, e), { do: 'if', condition, then: and ? run : [], otherwise: and ? [] : run });
  return result ? readSlot(cx, e, result) : nothing;
};

/** `[a, b] = …` and `{ a, b } = …` for names and elements that exist. */
export const assignPattern = (cx: Context, pattern: AnyNode, from: Term): void => {
  switch (pattern.type) {
    case 'ArrayPattern': {
      const items = eachNamed(cx, pattern, from);
      return pattern.elements.forEach((p, k) => {
        if (!p) return;
        if (k >= items.length) return tooFew(cx, p, items.length);
        assignPattern(cx, p, items[k]());
      });
    }
    case 'ObjectPattern':
      return pattern.properties.forEach((p) => {
        if (p.type === 'RestElement' || p.computed) return unsupported(cx, p, 'this pattern', 'write the names');
        assignPattern(cx, p.value, partOf(cx, p, from));
      });
    case 'AssignmentPattern':
      return assignPattern(cx, pattern.left, orDefault(cx, pattern, from));
    default:
      assign(cx, pattern, destination(cx, bare(pattern)), () => from, pattern);
  }
};

/** What a pattern with a default is given: the default where that is undefined. */
export const orDefault = (cx: Context, pattern: AssignmentPattern, from: Term): Term => {
  if (from.is === 'nothing') return value(cx, pattern.right);
  return cx.session.missing.has(from) ? rare().withDefault(cx, pattern.right, from) : from;
};

/** The name of a property of a pattern. */
export const nameOfProperty = ({ key }: AssignmentProperty): string =>
  key.type === 'Identifier' ? key.name : String((key as { value?: unknown }).value);

/** What a property of a pattern names; nothing where it is missing and has a default. */
export const partOf = (cx: Context, property: AssignmentProperty, from: Term): Term => {
  const { value: to } = property;
  const name = nameOfProperty(property);
  if (to.type === 'AssignmentPattern' && lacks(cx, from, name)) return nothing;
  return loaded(cx, property, named(cx, property, from, name));
};

export const tooFew = (cx: Context, node: AnyNode, length: number): never =>
  refuse(cx, node, 'lang/shape', `there are only ${length} to take apart`, 'leave names out');
