import type { AnyNode, MemberExpression } from 'acorn';
import { bare } from '../../source/ast.js';
import type { Binding } from '../../source/scope.js';
import type { Scalar } from '../code/scalar.js';
import { asScalar, refuse, unsupported, type Context } from './context.js';
import { reference, value } from './evaluate.js';
import { indexed, isWhole, knownIndex } from './member.js';
import { resolve } from './names.js';
import { termText, type ArrayElement, type Element, type List, type Members, type Slot, type Term } from './term.js';

/** What is assigned to. */
export type Destination =
  | { readonly to: 'slot'; readonly slot: Slot; readonly name: string; readonly binding: Binding | undefined }
  | { readonly to: 'element'; readonly element: Element | ArrayElement }
  | { readonly to: 'items'; readonly items: readonly Slot[]; readonly index: Scalar };

/** What an assignment writes to; its object and indices are evaluated here, once. */
export const destination = (cx: Context, target: AnyNode): Destination => {
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
    if (of.is === 'members' && slot) return itemDestination(cx, target, of, slot, name);
    if (of.is === 'shaped' || (of.is === 'element' && of.field.is !== 'scalar')) refuseComponent(cx, target);
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
    if (k !== undefined) return itemDestination(cx, target, of, of.items[k], `[${k}]`);
    for (const slot of of.items) itemDestination(cx, target, of, slot, '');
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

/** An item of an array or object literal. */
const itemDestination = (cx: Context, target: AnyNode, of: List | Members, slot: Slot, name: string): Destination =>
  cx.session.copies.has(of) || (slot.is === 'constant' && !hasItems(slot.term))
    ? refuse(
        cx,
        target,
        'lang/array-alias',
        'this array is written through another name than the one it was declared by',
        'write to it by that name, or make a copy: [...a]',
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
