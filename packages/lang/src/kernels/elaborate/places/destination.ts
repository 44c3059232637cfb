import { rare } from '#rare';
import type { AnyNode, MemberExpression } from 'acorn';
import type { AnyField, MatrixField, VectorField } from '@filigree/sparse/fields';
import { bare } from '../../../source/ast.js';
import type { Binding } from '../../../source/scope.js';
import type { Scalar } from '../../code/scalar.js';
import { elementsNamed, shapeText, type Shape } from '../../vocabulary/algebra.js';
import { refuse, unsupported, type Context } from '../context/context.js';
import { reference, value } from '../expressions/evaluate.js';
import { indexed, isWhole, knownIndex, named } from '../terms/member.js';
import { memberName } from '../terms/member-name.js';
import { isModuleName, resolve } from '../terms/names.js';
import { hasItems, refuseCopied } from '../terms/sharing.js';
import { readSlot } from '../terms/slots.js';
import {
  isLiteral,
  isOfTexts,
  shapeOfField,
  termText,
  type ArrayElement,
  type Constant,
  type Element,
  type List,
  type Members,
  type Slot,
  type Term,
  type Variable,
} from '../context/term.js';
import { asIndex } from '../terms/index-of.js';

/** What is assigned to. */
export type Destination =
  | {
      readonly to: 'slot';
      readonly slot: Slot;
      readonly name: string;
      readonly binding: Binding | undefined;
      /** Of components of a vector: what they are given is copied into it, and gets no second name. */
      readonly copied?: true;
    }
  | { readonly to: 'element'; readonly element: Element | ArrayElement }
  /** One of several, at an index that is known only when the kernel runs. */
  | { readonly to: 'items'; readonly items: readonly Destination[]; readonly index: Scalar }
  /** A member whose class has functions for it. */
  | { readonly to: 'accessor'; readonly get: () => Term; readonly set: (term: Term) => void };

/** What an assignment writes to; its object and indices are evaluated here, once. */
export const destination = (cx: Context, target: AnyNode): Destination => {
  if (target.type === 'Identifier') {
    const binding = cx.unit.text.parsed.scopes.bindingOf(target);
    const slot = resolve(cx, target);
    if (stays(cx, slot)) refuseWrite(cx, target, target.name, slot.what, binding);
    if (binding?.kind === 'const') refuseWrite(cx, target, target.name, 'constant', binding);
    return { to: 'slot', slot, name: target.name, binding };
  }
  if (target.type !== 'MemberExpression')
    return unsupported(cx, target, 'an assignment to this', 'assign to a variable or an element');
  return memberDestination(cx, target);
};

/** What stands behind the point or in the brackets: its value where it is computed, and its name where it is one. */
const keyOf = (cx: Context, node: MemberExpression): { readonly key?: Term; readonly name: string | undefined } => {
  if (!node.computed) return { name: memberName(node) };
  const key = value(cx, node.property);
  return { key, name: key.is === 'host' ? String(key.value) : undefined };
};

const memberDestination = (cx: Context, target: MemberExpression): Destination => {
  if (target.object.type === 'Super') return rare().superDestination(cx, target);
  const of = holder(cx, bare(target.object));
  const { key, name } = keyOf(cx, target);
  if ('to' in of) return componentOf(cx, target, of, name ?? asIndex(cx, target.property, key!));
  if (of.is === 'shaped') return refuseComponent(cx, target);
  if (of.is === 'table' || (of.is === 'host' && !of.statics) || of.is === 'one-of')
    return refuse(
      cx,
      target,
      'lang/captured-write',
      `\`${of.name}\` is of the surroundings, which a kernel only reads`,
      "pass it as an argument: array('f32', n)",
    );
  if (name !== undefined) return itemNamed(cx, target, of, name);
  if (key?.is === 'one-of' && isOfTexts(key) && of.is === 'members')
    return {
      to: 'items',
      items: key.values.map((text) => itemNamed(cx, target, of, text as string)),
      index: key.index,
    };
  const index = asIndex(cx, target.property, key!);
  if (of.is === 'list') return indexedDestination(cx, target, of, index);
  if (of.is === 'element' || of.is === 'array') {
    const element = indexed(cx, target, of, index);
    if (element.is === 'element' || element.is === 'array-element') return { to: 'element', element };
  }
  return refuse(
    cx,
    target,
    'lang/indices',
    `${termText(of)} has no elements to assign to`,
    'assign to a variable, an array or a field',
  );
};

/** A member to assign to, which there must be. */
const itemNamed = (cx: Context, target: AnyNode, of: Term, name: string): Destination => {
  const members = membersOf(of);
  const to = members && memberOf(cx, target, members, name);
  if (to) return to;
  return refuse(
    cx,
    target,
    'lang/unknown-member',
    `${termText(of)} has no \`${name}\` to assign to`,
    'declare it where the object is made',
  );
};

/** The members of an object, or of a class that the kernel declares. */
const membersOf = (of: Term): Members | undefined =>
  of.is === 'members' ? of : of.is === 'host' ? of.statics : undefined;

/** A member of an object to assign to. */
export const memberOf = (cx: Context, target: AnyNode, of: Members, name: string): Destination | undefined => {
  const slot = of.members.get(name);
  return slot ? itemDestination(cx, target, of, slot, name) : rare().otherMember(cx, target, of, name);
};

/** What a part is assigned to of: a vector or matrix that is written itself, or what the expression stands for. */
const holder = (cx: Context, node: AnyNode): Destination | Term => {
  if (node.type === 'Identifier') {
    const slot = resolve(cx, node);
    const binding = cx.unit.text.parsed.scopes.bindingOf(node);
    if (slot.is === 'chosen') return indexedDestination(cx, node, slot.of, slot.index);
    return shapeOfSlot(slot) ? { to: 'slot', slot, name: node.name, binding } : readSlot(cx, node, slot);
  }
  if (node.type === 'MemberExpression' && !node.optional && bare(node.object).type !== 'Super') {
    const object = bare(node.object);
    const of = object.type === 'Identifier' && isModuleName(cx, object) ? undefined : holder(cx, object);
    if (of) return partOf(cx, node, of);
  }
  return reference(cx, node);
};

const partOf = (cx: Context, node: MemberExpression, of: Destination | Term): Destination | Term => {
  const { key, name } = keyOf(cx, node);
  if ('to' in of) return componentOf(cx, node, of, name ?? asIndex(cx, node.property, key!));
  if (name !== undefined) {
    const members = membersOf(of);
    const slot = members?.members.get(name);
    if (members && slot && shapeOfSlot(slot)) return itemDestination(cx, node, members, slot, name);
    return named(cx, node, of, name);
  }
  const index = asIndex(cx, node.property, key!);
  if (of.is === 'list' && (of.items.some(shapeOfSlot) || (!isLiteral(index) && of.items.every(isOfItems))))
    return indexedDestination(cx, node, of, index);
  const part = indexed(cx, node, of, index);
  return part.is === 'element' && part.field.is !== 'scalar' && isWhole(cx, node, part)
    ? { to: 'element', element: part }
    : part;
};

/** An item of an array, or where that is known only when the kernel runs one of all. */
export const indexedDestination = (cx: Context, target: AnyNode, of: List, index: Scalar): Destination => {
  const k = knownIndex(cx, target, index, of.items.length);
  if (k !== undefined) return itemDestination(cx, target, of, of.items[k], `[${k}]`);
  return { to: 'items', items: of.items.map((slot) => itemDestination(cx, target, of, slot, '')), index };
};

/** Whether an item is an array or object itself. */
const isOfItems = (slot: Slot): boolean => slot.is === 'constant' && hasItems(slot.term);

/** The shape of the vector or matrix that a variable is; undefined for all else. */
const shapeOfSlot = (slot: Slot): Shape | undefined => {
  if (slot.is === 'pending') return slot.slot && shapeOfSlot(slot.slot);
  return slot.is === 'variable' && slot.shape.length > 0 ? slot.shape : undefined;
};

/** A component of a vector, several of them, or a row or an element of a matrix. */
const componentOf = (cx: Context, target: AnyNode, of: Destination, key: string | Scalar): Destination => {
  if (of.to === 'accessor') return refuseComponent(cx, target);
  if (of.to === 'items') return { ...of, items: of.items.map((item) => componentOf(cx, target, item, key)) };
  if (of.to === 'slot' && of.slot.is === 'constant') {
    const { term } = of.slot;
    if (term.is === 'list' && typeof key !== 'string') return indexedDestination(cx, target, term, key);
    const slot = term.is === 'members' && typeof key === 'string' ? term.members.get(key) : undefined;
    if (slot) return itemDestination(cx, target, term as Members, slot, key as string);
  }
  const shape = of.to === 'slot' ? shapeOfSlot(of.slot) : of.element.is === 'element' && shapeOfField(of.element.field);
  if (!shape || shape.length === 0)
    return refuse(cx, target, 'lang/indices', 'a number has no elements to assign to', 'leave the index out');
  if (of.to === 'slot') checkOwned(cx, target, of.slot);
  const width = shape.length === 2 ? shape[1] : 1;
  const row = (k: number): Destination =>
    componentsOf(
      of,
      Array.from({ length: width }, (_, c) => k * width + c),
      shape.slice(1),
    );
  if (typeof key !== 'string') {
    const k = knownIndex(cx, target, key, shape[0]);
    return k === undefined
      ? { to: 'items', items: Array.from({ length: shape[0] }, (_, at) => row(at)), index: key }
      : row(k);
  }
  const places = shape.length === 1 ? elementsNamed(key, shape[0]) : [];
  if (places.length === 0 || new Set(places).size < places.length)
    return refuse(
      cx,
      target,
      'lang/unknown-member',
      `a ${shapeText(shape)} has no \`${key}\` to assign to`,
      shape.length === 1 ? 'use x, y, z, w, or several of them, each once' : 'write m[i][j] = …',
    );
  return componentsOf(of, places, places.length === 1 ? [] : [places.length]);
};

/** Some components of a variable or of an element of a field, in an order and shape of their own. */
const componentsOf = (
  of: Destination & { to: 'slot' | 'element' },
  places: readonly number[],
  shape: Shape,
): Destination => {
  if (of.to === 'slot') {
    const whole = of.slot.is === 'pending' ? of.slot.slot : of.slot;
    const variable = whole as Variable;
    const slot: Variable = { ...variable, shape, locals: places.map((at) => variable.locals[at]) };
    const part = { to: 'slot', slot, name: of.name, binding: undefined } as const;
    return variable.shape.length === 1 ? { ...part, copied: true } : part;
  }
  const { field, index } = of.element as Element;
  const fields = places.map((at) => (field as VectorField | MatrixField).components[at]);
  const part: AnyField =
    shape.length === 0 ? fields[0] : { ...(field as VectorField), is: 'vector', size: shape[0], components: fields };
  return { to: 'element', element: { is: 'element', field: part, index } };
};

/** Components are assigned to where the vector is a variable of the function that does it. */
const checkOwned = (cx: Context, target: AnyNode, slot: Slot): void => {
  const owner = 'owner' in slot ? slot.owner : undefined;
  if (owner && owner.writes > 0 && owner.since >= cx.since) return;
  refuseComponent(cx, target);
};

/** Whether a name or member stands for one thing, which it keeps. */
const stays = (cx: Context, slot: Slot): slot is Constant =>
  slot.is === 'constant' && !hasItems(slot.term) && !cx.session.sites.has(slot.term);

/** An item of an array or object literal. */
const itemDestination = (cx: Context, target: AnyNode, of: List | Members, slot: Slot, name: string): Destination => {
  const isFixed = stays(cx, slot);
  refuseCopied(cx, target, of);
  cx.session.assignedParts.add(of);
  const settled = slot.is === 'pending' && slot.slot ? slot.slot : slot;
  if (!isFixed && !cx.session.copies.has(of)) return { to: 'slot', slot: settled, name, binding: undefined };
  if (isFixed) cx.session.assignedElsewhere(of);
  cx.session.changesCopy(of);
  return refuse(
    cx,
    target,
    'lang/array-alias',
    `this ${of.is === 'list' ? 'array' : 'object'} is written through another name than the one it was declared by`,
    `write to it by that name, or make a copy: ${of.is === 'list' ? '[...a]' : '{ ...a }'}`,
  );
};

const refuseComponent = (cx: Context, target: AnyNode): never =>
  refuse(
    cx,
    target,
    'lang/immutable-vector',
    'components are assigned to of fields, and of variables in the function that declares them: this vector is none of these',
    'copy it first: let w = vec(v)',
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
