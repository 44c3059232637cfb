import { rare } from '#rare';
import type { AnyNode, ArrayExpression, ObjectExpression, Property } from 'acorn';
import { refuse, unsupported, type Context } from '../context/context.js';
import { made } from '../terms/made.js';
import { isLiteral, type Slot, type Term } from '../context/term.js';
import { itemsOf } from '../terms/items.js';
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
  const accessors = new Map<string, readonly Property[]>();
  const names = new Set<string>();
  const set = (name: string, term: Term): void => {
    names.add(name);
    accessors.delete(name);
    found.set(name, constant(term));
  };
  for (const p of e.properties) {
    if (p.type === 'SpreadElement') {
      for (const [name, term] of rare().propertiesOf(cx, p.argument, value(cx, p.argument))) set(name, term);
      continue;
    }
    const name = p.computed
      ? nameFrom(cx, p.key)
      : p.key.type === 'Identifier'
        ? p.key.name
        : String((p.key as { value?: unknown }).value);
    if (p.kind === 'init') {
      set(name, value(cx, p.value));
      continue;
    }
    names.add(name);
    found.delete(name);
    accessors.set(name, [...(accessors.get(name) ?? []).filter(({ kind }) => kind !== p.kind), p]);
  }
  const of = accessors.size > 0 ? rare().accessorsOf(cx, e, [...accessors.values()].flat(), names) : undefined;
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

const constant = (term: Term): Slot => ({ is: 'constant', term, what: 'constant' });
