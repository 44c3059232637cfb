import type { AnyNode, CallExpression } from 'acorn';
import { isFloat } from '@filigree/ir';
import { literal, type Scalar } from '../../code/scalar.js';
import { wordsOfExtremes, wordsOfGivenArrays } from '../../vocabulary/given-arrays.js';
import { callWord } from '../calls/inline.js';
import { asScalar, compute, refuse, type Context } from '../context/context.js';
import { argumentsOf } from '../expressions/evaluate.js';
import { storeTerm } from '../places/assign.js';
import { counting } from '../statements/counting.js';
import { asIndex } from '../terms/index-of.js';
import { itemsOf } from '../terms/items.js';
import { indexed, loaded } from '../terms/member.js';
import { termText, type ArrayArgument, type ArrayElement, type LoopHead, type Term } from '../context/term.js';
import { fillArray } from './fill-array.js';

/** A method of an array that a launch gives, whose length is known only when the kernel runs; undefined of one that would make another array. */
export const methodOfGiven = (cx: Context, e: CallExpression, of: ArrayArgument, name: string): Term | undefined => {
  if (name === 'fill') return fillArray(cx, e, of);
  if (name === 'set') return setArray(cx, e, of);
  if (name === 'entries' || name === 'keys' || name === 'values') return visits(of, name);
  const words = wordsOfGivenArrays[name];
  if (!words) return undefined;
  const args = argumentsOf(cx, e);
  const word = words.find(([count]) => count === args.length)?.[1];
  return word
    ? callWord(cx, e, word, [of, ...args])
    : refuse(
        cx,
        e,
        'lang/arguments',
        `${name} takes ${words.map(([count]) => count).join(' or ')} argument${words.length > 1 || words[0][0] > 1 ? 's' : ''}, not ${args.length}`,
        `write a.${name}(…) as of any array`,
      );
};

/** The least or the greatest element: of no floats an infinity, as in JavaScript, of no integers 0. */
export const extremeOfGiven = (cx: Context, e: CallExpression, of: ArrayArgument, name: 'min' | 'max'): Term => {
  const none = literal(name === 'min' ? Infinity : -Infinity);
  const first = isFloat(of.type) ? [none, literal(0)] : [firstOrZero(cx, e, of), literal(1)];
  return callWord(cx, e, wordsOfExtremes[name], [of, ...first]);
};

/** The first element, and 0 of none. */
const firstOrZero = (cx: Context, e: CallExpression, of: ArrayArgument): Scalar => {
  const first = asScalar(cx, e, loaded(cx, e, indexed(cx, e, of, literal(0))));
  return compute(cx, e, 'select', compute(cx, e, 'gt', of.length, literal(0)), first, literal(0));
};

/** What a loop over it visits: its indices, its elements, or both. */
const visits = (of: ArrayArgument, what: 'entries' | 'keys' | 'values'): LoopHead => ({
  is: 'loop',
  space: {
    over: 'range',
    bounds: [{ from: literal(0), to: of.length, step: literal(1) }],
    single: true,
    ...(what === 'keys' ? {} : { rows: of }),
    ...(what === 'entries' ? { paired: true } : {}),
  },
  order: 'parallel',
});

/** `a.set(items, from)`: the items of another array, from a place on, one after the other. */
const setArray = (cx: Context, e: CallExpression, of: ArrayArgument): Term => {
  const [items, start, ...more] = argumentsOf(cx, e);
  if (items === undefined || more.length > 0)
    return refuse(cx, e, 'lang/arguments', 'set takes an array, and where it begins', 'write a.set(items)');
  const from = start === undefined ? literal(0) : asIndex(cx, e.arguments[1], start);
  const put = (k: Scalar, item: Term): void => {
    const to = indexed(cx, e, of, compute(cx, e, 'add', from, k)) as ArrayElement;
    storeTerm(cx, e, to, item, e.arguments[0] as AnyNode);
  };
  if (items.is === 'array')
    counting(cx, e, 'k', { from: literal(0), to: items.length, step: literal(1) }, (k) =>
      put(k, loaded(cx, e, indexed(cx, e, items, k))),
    );
  else if (['list', 'table', 'host'].includes(items.is))
    itemsOf(cx, e, items).forEach((item, k) => put(literal(k), loaded(cx, e, item)));
  else return refuse(cx, e, 'lang/shape', `set takes an array, this is ${termText(items)}`, 'write a.set(items)');
  return { is: 'nothing' };
};
