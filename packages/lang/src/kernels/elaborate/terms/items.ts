import { rare } from '#rare';
import type { AnyNode, ArrayPattern } from 'acorn';
import { literal } from '../../code/scalar.js';
import { refuse, type Context } from '../context/context.js';
import { iterated } from './iterated.js';
import { indexed, isWhole, loaded, rowsOf } from './member.js';
import { readSlot } from './slots.js';
import { termText, type Element, type Shaped, type Term } from '../context/term.js';
import { fromHost } from './host-value.js';

/** The items of what has a length known at compile time. */
export const itemsOf = (cx: Context, node: AnyNode, term: Term): readonly Term[] =>
  eachItem(cx, node, term).map((item) => item());

/** The same, each as it is when its turn comes: what is done with one may change another. */
export const eachItem = (cx: Context, node: AnyNode, term: Term): readonly (() => Term)[] => {
  if (term.is === 'list') return term.items.map((slot) => () => readSlot(cx, node, slot));
  if (term.is === 'loop' && term.space.over === 'items' && !term.space.there) return iterated(cx, node, term.space);
  if (term.is === 'shaped') return eachRow(cx, node, term);
  if (term.is === 'table' && term.index.length < term.shape.length)
    return Array.from({ length: term.shape[term.index.length] }, (_, k) => () => indexed(cx, node, term, literal(k)));
  if (term.is === 'host' && typeof term.value === 'string') return rare().lettersIn(cx, node, term);
  if (term.is === 'host' && Array.isArray(term.value))
    return term.value.map((value: unknown, k) => () => fromHost(cx, node, `${term.name}[${k}]`, value));
  if (term.is === 'one-of') return rare().partsOfOne(cx, node, term);
  if (term.is === 'element' && !isWhole(cx, node, term) && term.index.length > 0) return ofField(cx, node, term);
  return refuse(
    cx,
    node,
    'lang/shape',
    `an array or vector of known length is wanted, this is ${termText(term)}`,
    term.is === 'element'
      ? `loop over active(${term.field.name})`
      : term.is === 'array'
        ? `name its elements, ${term.name}[0], or loop over it, for (const x of ${term.name}) …`
        : term.is === 'sieve'
          ? 'loop over it, for (const x of kept) …, index it, kept[k], or call map, filter, reduce(f, 0), find, some and the like'
          : 'use range(n) to count, and names without [ ] for what is counted',
  );
};

/** What the names of a pattern stand for: of an array that a launch gives, and of a field, as many elements as there are names. */
export const eachNamed = (cx: Context, pattern: ArrayPattern, term: Term): readonly (() => Term)[] => {
  const isTaken = term.is === 'array' || (term.is === 'element' && term.index.length === 0);
  if (!isTaken || pattern.elements.some((p) => p?.type === 'RestElement')) return eachItem(cx, pattern, term);
  return pattern.elements.map((p, k) => (): Term => {
    const isAsked = p?.type === 'AssignmentPattern';
    return isAsked
      ? rare().itemIfThere(cx, p, term, literal(k))
      : loaded(cx, p ?? pattern, indexed(cx, p ?? pattern, term, literal(k)));
  });
};

/** An array of the surroundings as its items, of which each can be chosen, or assigned. */
export const listed = (cx: Context, node: AnyNode, term: Term): Term =>
  term.is === 'table' || (term.is === 'host' && Array.isArray(term.value))
    ? {
        is: 'list',
        items: itemsOf(cx, node, term).map((item) => ({
          is: 'constant',
          term: listed(cx, node, item),
          what: 'constant',
        })),
      }
    : term;

/** Of a variable whose components are assigned to: as they are then. */
const eachRow = (cx: Context, node: AnyNode, term: Shaped): readonly (() => Term)[] => {
  const changing = cx.session.changing.get(term);
  return rows(term).map((row, k) => () => (changing ? rows(readSlot(cx, node, changing) as Shaped)[k] : row));
};

/** The elements, or rows, of a row of a field. */
const ofField = (cx: Context, node: AnyNode, term: Element): readonly (() => Term)[] => {
  const length = rowsOf(cx, node, term);
  return length > MOST
    ? refuse(
        cx,
        node,
        'lang/shape',
        `this is taken apart into ${length} elements (${MOST} at most)`,
        'name them by their indices, or loop over them',
      )
    : Array.from({ length }, (_, k) => () => loaded(cx, node, indexed(cx, node, term, literal(k))));
};

const MOST = 4096;

const rows = (term: Shaped): readonly Term[] => {
  if (term.shape.length === 1) return term.elements;
  const [n, width] = term.shape;
  return Array.from({ length: n }, (_, i) => ({
    is: 'shaped',
    shape: [width],
    elements: term.elements.slice(i * width, (i + 1) * width),
  }));
};
