import type { AnyNode, BinaryExpression, CallExpression, ObjectPattern } from 'acorn';
import { nameOfProperty } from './assign.js';
import type { Context } from './context.js';
import { literal } from '../code/scalar.js';
import { argumentsOf, value } from './evaluate.js';
import { propertiesOf } from './literals.js';
import { nothing, tupleOf, type Term } from './term.js';

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

/** `name in o`, of an object whose members are known; nothing of others. */
export const isIn = (cx: Context, e: BinaryExpression): Term | undefined => {
  const [key, of] = [value(cx, e.left as AnyNode), value(cx, e.right)];
  if (!(key.is === 'host' && typeof key.value === 'string')) return undefined;
  if (of.is === 'members' && !of.of) return literal(of.members.has(key.value));
  return of.is === 'host' && typeof of.value === 'object' && of.value !== null
    ? literal(key.value in of.value)
    : undefined;
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
