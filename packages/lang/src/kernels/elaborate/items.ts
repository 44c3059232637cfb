import type { AnyNode } from 'acorn';
import { literal, type Literal } from '../code/scalar.js';
import { refuse, type Context } from './context.js';
import { readSlot } from './slots.js';
import { termText, type Term } from './term.js';
import { elementOf, fromHost } from './host-value.js';

/** The items of what has a length known at compile time. */
export const itemsOf = (cx: Context, node: AnyNode, term: Term): readonly Term[] => {
  if (term.is === 'list') return term.items.map((slot) => readSlot(cx, node, slot));
  if (term.is === 'shaped') return rows(term);
  if (term.is === 'table' && term.index.length < term.shape.length)
    return Array.from({ length: term.shape[term.index.length] }, (_, k) => indexTable(term, k));
  if (term.is === 'host' && Array.isArray(term.value))
    return term.value.map((value: unknown, k) => fromHost(cx, node, `${term.name}[${k}]`, value));
  return refuse(
    cx,
    node,
    'lang/shape',
    `an array or vector of known length is wanted, this is ${termText(term)}`,
    term.is === 'element'
      ? `loop over active(${term.field.name})`
      : 'use range(n) to count, and names without [ ] for what is counted',
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
