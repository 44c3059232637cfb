import { rare } from '#rare';
import type { AnyNode, ArrayExpression, ObjectExpression, Property } from 'acorn';
import { refuse, unsupported, type Context } from './context.js';
import { made } from './made.js';
import { named } from './member.js';
import { readSlot } from './slots.js';
import { isLiteral, termText, type Slot, type Term } from './term.js';
import { itemsOf } from './items.js';
import { value } from './evaluate.js';

/** `[a, b, ...c]`. */
export const list = (cx: Context, e: ArrayExpression): Term => made(cx, e, { is: 'list', items: listed(cx, e) });

const listed = (cx: Context, e: ArrayExpression): readonly Slot[] =>
  e.elements.flatMap((item): readonly Slot[] => {
    if (item === null) return unsupported(cx, e, 'an array with holes', 'write all its elements');
    if (item.type === 'SpreadElement') return itemsOf(cx, item.argument, value(cx, item.argument)).map(constant);
    return [constant(value(cx, item))];
  });

/** `{ a, b: c, ...d }`. */
export const members = (cx: Context, e: ObjectExpression): Term => {
  const found = new Map<string, Slot>();
  const accessors: Property[] = [];
  for (const p of e.properties) {
    if (p.type === 'SpreadElement') {
      for (const [name, term] of propertiesOf(cx, p.argument, value(cx, p.argument))) found.set(name, constant(term));
      continue;
    }
    if (p.kind !== 'init') {
      accessors.push(p);
      continue;
    }
    const name = p.computed
      ? nameFrom(cx, p.key)
      : p.key.type === 'Identifier'
        ? p.key.name
        : String((p.key as { value?: unknown }).value);
    found.set(name, constant(value(cx, p.value)));
  }
  const of = accessors.length > 0 ? rare().accessorsOf(cx, e, accessors) : undefined;
  return made(cx, e, { is: 'members', members: found, ...(of && { of }) });
};

/** `[name]: value`, of what is known. */
const nameFrom = (cx: Context, key: AnyNode): string => {
  const term = value(cx, key);
  return isLiteral(term) || (term.is === 'host' && typeof term.value === 'string')
    ? String(term.value)
    : refuse(
        cx,
        key,
        'lang/dynamic-index',
        'what a property is called must be known when the kernel is compiled',
        'write `name: value`',
      );
};

/** The properties of an object, of one of the surroundings as well; nothing has none. */
export const propertiesOf = (cx: Context, node: AnyNode, of: Term): readonly (readonly [string, Term])[] => {
  if (of.is === 'nothing') return [];
  if (of.is === 'members' && of.of?.isLiteral)
    return refuse(
      cx,
      node,
      'lang/unsupported-syntax',
      'what an object with getters and setters has is listed',
      'name its members, or write methods',
    );
  if (of.is === 'members')
    return [...of.members]
      .filter(([name]) => !name.startsWith('#'))
      .map(([name, slot]) => [name, readSlot(cx, node, slot)]);
  if (of.is === 'host' && typeof of.value === 'object' && of.value !== null)
    return Object.keys(of.value).map((name) => [name, named(cx, node, of, name)]);
  return refuse(cx, node, 'lang/shape', `an object is wanted here, this is ${termText(of)}`, 'write `name: value`');
};

const constant = (term: Term): Slot => ({ is: 'constant', term, what: 'constant' });
