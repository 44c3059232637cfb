import type { CallExpression } from 'acorn';
import { isFloat } from '@filigree/ir';
import { literal } from '../code/scalar.js';
import { asScalar, originOf, refuse, type Context } from './context.js';
import { argumentsOf } from './evaluate.js';
import { callFunction } from './inline.js';
import { itemsOf } from './items.js';
import { nothing, termText, type Table, type Term } from './term.js';

/** A method of an array of known length, which is written out; undefined if this is none. */
export const arrayMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined =>
  isKnownArray(of) && Object.hasOwn(methods, name) ? methods[name](cx, e, of) : undefined;

type Method = (cx: Context, e: CallExpression, of: Term) => Term;

const isKnownArray = (of: Term): boolean =>
  of.is === 'list' ||
  (of.is === 'table' && of.index.length < of.shape.length) ||
  (of.is === 'host' && Array.isArray(of.value));

const map: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'map', 1);
  const made = itemsOf(cx, e, of).map((item, k) => callFunction(cx, e, f, [item, literal(k), of]));
  const items = typedRow(of) ? made.map((item) => rounded(cx, e, of as Table, item)) : made;
  return { is: 'list', items: items.map((term) => ({ is: 'constant', term, what: 'constant' })) };
};

const forEach: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'forEach', 1);
  itemsOf(cx, e, of).forEach((item, k) => callFunction(cx, e, f, [item, literal(k), of]));
  return nothing;
};

const reduce: Method = (cx, e, of) => {
  const [f, ...start] = functionAnd(cx, e, 'reduce', 2);
  const items = itemsOf(cx, e, of);
  if (items.length + start.length === 0)
    return refuse(
      cx,
      e,
      'lang/shape',
      'an array without elements is reduced, and no value is given to begin with',
      'write a.reduce(f, 0)',
    );
  const skipped = 1 - start.length;
  return items
    .slice(skipped)
    .reduce<Term>((so, item, k) => callFunction(cx, e, f, [so, item, literal(k + skipped), of]), start[0] ?? items[0]);
};

const methods: Readonly<Record<string, Method>> = { map, forEach, reduce };

/** The arguments of a method: a function, and no more than so many in all. */
const functionAnd = (cx: Context, e: CallExpression, name: string, most: number): readonly [Term, ...Term[]] => {
  const [f, ...more] = argumentsOf(cx, e);
  if (f?.is !== 'closure' && !(f?.is === 'host' && typeof f.value === 'function'))
    return refuse(
      cx,
      e,
      'lang/arguments',
      `${name} takes a function${f ? `, this is ${termText(f)}` : ''}`,
      `write a.${name}((x) => …)`,
    );
  if (more.length >= most)
    return refuse(
      cx,
      e,
      'lang/arguments',
      `${name} takes ${most === 1 ? 'one argument' : `up to ${most} arguments`}, not ${more.length + 1}`,
      `write a.${name}((x) => …)`,
    );
  return [f, ...more];
};

/** Whether these are the elements of a typed array, whose `map` makes another such. */
const typedRow = (of: Term): boolean =>
  of.is === 'table' && of.element !== undefined && of.index.length === of.shape.length - 1;

const rounded = (cx: Context, e: CallExpression, { name, element }: Table, item: Term): Term => {
  if (element === 'f64') return item;
  return element !== undefined && isFloat(element)
    ? cx.session.cast(originOf(cx, e), asScalar(cx, e, item), element)
    : refuse(
        cx,
        e,
        'lang/unsupported-call',
        `\`${name}\` is a typed array of ${element}, and \`map\` of one makes another`,
        `write [...${name}].map(…), which makes an array`,
      );
};
