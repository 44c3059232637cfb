import type { ArrayExpression, ObjectExpression } from 'acorn';
import { unsupported, type Context } from './context.js';
import type { Slot, Term } from './term.js';
import { itemsOf } from './items.js';
import { value } from './evaluate.js';

/** `[a, b, ...c]`. */
export const list = (cx: Context, e: ArrayExpression): Term => ({
  is: 'list',
  items: e.elements.flatMap((item): readonly Slot[] => {
    if (item === null) return unsupported(cx, e, 'an array with holes', 'write all its elements');
    if (item.type === 'SpreadElement') return itemsOf(cx, item.argument, value(cx, item.argument)).map(constant);
    return [constant(value(cx, item))];
  }),
});

/** `{ a, b: c }`. */
export const members = (cx: Context, e: ObjectExpression): Term => {
  const found = new Map<string, Slot>();
  for (const p of e.properties) {
    if (p.type === 'SpreadElement' || p.kind !== 'init' || p.computed)
      return unsupported(cx, p, 'this property', 'write `name: value`');
    const name = p.key.type === 'Identifier' ? p.key.name : String((p.key as { value?: unknown }).value);
    found.set(name, constant(value(cx, p.value)));
  }
  return { is: 'members', members: found };
};

const constant = (term: Term): Slot => ({ is: 'constant', term, what: 'constant' });
