import type { AnyNode, ArrayExpression, ObjectExpression } from 'acorn';
import { literal, typedLiteral, type Literal } from '../code/code.js';
import { holds } from '../code/kinds.js';
import { refuse, unsupported, type Context } from './context.js';
import { value } from './expression.js';
import { indexed, loaded } from './member.js';
import { readSlot } from './slots.js';
import { termText, type Slot, type Table, type Term } from './term.js';

/** `[a, b, ...c]`. */
export const list = (cx: Context, e: ArrayExpression): Term => ({
  is: 'list',
  items: e.elements.flatMap((item): readonly Slot[] => {
    if (item === null) return unsupported(cx, e, 'an array with holes', 'write all its elements');
    if (item.type === 'SpreadElement') return itemsOf(cx, item.argument, value(cx, item.argument)).map(constant);
    return [constant(value(cx, item))];
  }),
});

/** The items of what has a length known at compile time. */
export const itemsOf = (cx: Context, node: AnyNode, term: Term): readonly Term[] => {
  if (term.is === 'list') return term.items.map((slot) => readSlot(cx, node, slot));
  if (term.is === 'shaped') return rows(term);
  if (term.is === 'table' && term.index.length < term.shape.length)
    return Array.from({ length: term.shape[term.index.length] }, (_, k) => indexTable(term, k));
  if (term.is === 'host' && Array.isArray(term.value))
    return term.value.map((_, k) => loaded(cx, node, indexed(cx, node, term, literal(k))));
  return refuse(
    cx,
    node,
    'lang/shape',
    `an array or vector of known length is wanted, this is ${termText(term)}`,
    'use range(n) to count',
  );
};

const rows = (term: Term & { is: 'shaped' }): readonly Term[] => {
  if (term.shape.length === 1) return term.elements;
  const [n, width] = term.shape;
  return Array.from({ length: n }, (_, i) => ({
    is: 'shaped',
    shape: [width],
    elements: term.elements.slice(i * width, (i + 1) * width),
  }));
};

const indexTable = (term: Term & { is: 'table' }, k: number): Term => {
  const index: Literal[] = [...(term.index as Literal[]), literal(k)];
  if (index.length < term.shape.length) return { ...term, index };
  return elementOf(term, index);
};

/** An element of a table at indices that are known. */
export const elementOf = ({ values, shape, element }: Table, index: readonly Literal[]): Literal => {
  const value = values[index.reduce((at, s, axis) => at * shape[axis] + Number(s.value), 0)];
  return element === 'f32'
    ? { ...literal(value), float: 'written' }
    : element === undefined
      ? hostNumber(value)
      : typedLiteral(value, element);
};

/** A number of the surroundings; a BigInt is an integer of 64 bits. */
export const hostNumber = (value: number | bigint): Literal =>
  typeof value === 'bigint' ? typedLiteral(value, holds('i64', value) ? 'i64' : 'u64') : literal(value);

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
