import type { AnyNode } from 'acorn';
import type { Context } from '../context/context.js';
import { isLiteral, type List, type Term } from '../context/term.js';
import { fromHost } from './host-value.js';

/** Nested arrays of numbers. */
type Numbers = readonly (number | Numbers)[];

/**
 * Numbers that a kernel writes, in arrays that stay what they are, as one of its surroundings: many are a table, and of rows of several lengths one may be
 * chosen when it runs. Undefined of others.
 */
export const asAround = (cx: Context, e: AnyNode, of: List): Term | undefined => {
  const numbers = numbersIn(of);
  if (!numbers || !(cx.session.isMany(countOf(numbers)) || isRagged(numbers))) return undefined;
  const key = textOf(numbers);
  const known = cx.session.literals.get(key) ?? fromHost(cx, e, 'numbers', numbers);
  cx.session.literals.set(key, known);
  return known;
};

/** Whole numbers that are floats by how they are written would be integers in a table. */
const numbersIn = (of: List): Numbers | undefined => {
  if (of.element !== undefined) return undefined;
  const found: (number | Numbers)[] = [];
  for (const slot of of.items) {
    if (slot.is !== 'constant') return undefined;
    const { term } = slot;
    const plain =
      term.is === 'list'
        ? numbersIn(term)
        : isLiteral(term) && typeof term.value === 'number' && term.type === undefined && term.float === undefined
          ? term.value
          : undefined;
    if (plain === undefined) return undefined;
    found.push(plain);
  }
  return found;
};

const countOf = (numbers: Numbers): number =>
  numbers.reduce<number>((n, x) => n + (typeof x === 'number' ? 1 : countOf(x)), 0);

const isRagged = (numbers: Numbers): boolean => {
  const rows = numbers.flatMap((x) => (typeof x === 'number' ? [] : [x]));
  return new Set(rows.map((row) => row.length)).size > 1 || rows.some(isRagged);
};

const textOf = (numbers: Numbers): string =>
  `[${numbers.map((x) => (typeof x !== 'number' ? textOf(x) : Object.is(x, -0) ? '-0' : String(x))).join()}]`;
