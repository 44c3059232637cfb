import type { AnyNode, BinaryExpression, CallExpression, ObjectPattern } from 'acorn';
import { give, nameOfProperty } from '../places/assign.js';
import { refuse, type Context } from '../context/context.js';
import { memberOf } from '../places/destination.js';
import { literal } from '../../code/scalar.js';
import { argumentsOf, value } from '../expressions/evaluate.js';
import { isDeclared, ofClass } from '../calls/instance.js';
import { named } from '../terms/member.js';
import { oneHas } from '../expressions/one-of.js';
import { readSlot } from '../terms/slots.js';
import { isOfTexts, isLiteral, nothing, termText, tupleOf, type Members, type Term } from '../context/term.js';

/** The names of an object's members, of one of the surroundings as well. */
export const namesOf = (cx: Context, node: AnyNode, of: Term): Term =>
  tupleOf(propertiesOf(cx, node, of).map(([name]): Term => ({ is: 'host', name, value: name })));

/** `Object.keys(o)`, `Object.values(o)`, `Object.entries(o)`. */
export const partsOfObject = (cx: Context, e: CallExpression, by: (of: object) => readonly unknown[]): Term => {
  const [of = nothing] = argumentsOf(cx, e);
  if (by === Object.keys) return namesOf(cx, e, of);
  const text = (name: string): Term => ({ is: 'host', name, value: name });
  return tupleOf(
    propertiesOf(cx, e, of).map(([name, term]) => (by === Object.values ? term : tupleOf([text(name), term]))),
  );
};

/** `name in o`, of an object whose members are known, and `#name in o`; nothing of others. */
export const isIn = (cx: Context, e: BinaryExpression): Term | undefined => {
  const name = e.left.type === 'PrivateIdentifier' ? `#${e.left.name}` : knownName(value(cx, e.left));
  const of = value(cx, e.right);
  if (name === undefined) return undefined;
  if (of.is === 'members') {
    const has = hasMember(of, name) || isDeclared(of.of, name);
    if (!has) cx.session.lacking.add(name);
    return literal(has);
  }
  const like = of.is === 'list' ? of.items : of.is === 'table' ? { length: of.shape[of.index.length] } : undefined;
  /* An array with as many items. */
  if (like) return literal(name in Array.from(like, () => 0));
  if (of.is === 'one-of' && !isOfTexts(of)) return oneHas(cx, e, of, name);
  return of.is === 'host' && typeof of.value === 'object' && of.value !== null ? literal(name in of.value) : undefined;
};

const knownName = (key: Term): string | undefined =>
  isLiteral(key) || (key.is === 'host' && typeof key.value === 'string') ? String(key.value) : undefined;

/** Whether a member was given something. */
const hasMember = ({ members }: Members, name: string): boolean => {
  const slot = members.get(name);
  return slot !== undefined && !(slot.is === 'pending' && !slot.slot && !slot.missing);
};

/** `Object.assign(o, { a: 1 })`: members are assigned to one after the other. */
export const assignMembers = (cx: Context, e: CallExpression): Term => {
  const [to = nothing, ...from] = argumentsOf(cx, e);
  if (to.is !== 'members')
    return refuse(cx, e, 'lang/shape', `members are assigned to of ${termText(to)}`, 'give it an object of the kernel');
  for (const [name, term] of from.flatMap((of) => propertiesOf(cx, e, of))) {
    const place =
      memberOf(cx, e, to, name) ??
      refuse(
        cx,
        e,
        'lang/unknown-member',
        `${termText(to)} has no \`${name}\` to assign to`,
        'declare it where the object is made, or make another: { ...o, name: value }',
      );
    give(cx, e, place, term, e);
  }
  return to;
};

/** What a pattern does not name of an object: `{ a, ...others }`. */
export const othersOf = (cx: Context, pattern: ObjectPattern, from: Term): Term => {
  const names = pattern.properties.flatMap((p) => (p.type === 'RestElement' || p.computed ? [] : [nameOfProperty(p)]));
  const others = propertiesOf(cx, pattern, from).filter(([name]) => !names.includes(name));
  return {
    is: 'members',
    members: new Map(others.map(([name, term]) => [name, { is: 'constant', term, what: 'constant' }])),
  };
};

/** The properties of an object, of one of the surroundings as well; nothing has none. */
export const propertiesOf = (cx: Context, node: AnyNode, of: Term): readonly (readonly [string, Term])[] => {
  if (of.is === 'nothing') return [];
  cx.session.listed.add(of);
  if (of.is === 'members')
    return [...new Set([...(of.of?.listed ?? []), ...of.members.keys()])]
      .filter((name) => !name.startsWith('#'))
      .map((name) => {
        const slot = of.members.get(name);
        return [name, slot ? readSlot(cx, node, slot) : (ofClass(cx, node, of.of, of, name) ?? nothing)];
      });
  if (of.is === 'host' && typeof of.value === 'object' && of.value !== null)
    return Object.keys(of.value).map((name) => [name, named(cx, node, of, name)]);
  if (of.is === 'one-of' && !isOfTexts(of) && areAlike(of.values))
    return Object.keys(of.values[0] as object).map((name) => [name, named(cx, node, of, name)]);
  return refuse(cx, node, 'lang/shape', `an object is wanted here, this is ${termText(of)}`, 'write `name: value`');
};

/** Whether objects have the same members, in the same order. */
const areAlike = (values: readonly unknown[]): boolean =>
  new Set(values.map((value) => JSON.stringify(Object.keys(value as object)))).size === 1;
