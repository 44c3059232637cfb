import type { CallExpression, MemberExpression } from 'acorn';
import { isFloat, type ScalarType } from '@filigree/ir';
import { bare } from '../../source/ast.js';
import { literal, type Scalar } from '../code/scalar.js';
import { isArrayMethod, type arrayMethods } from './array-members.js';
import { equalTerms } from './binary-operation.js';
import { apart, asScalar, compute, originOf, refuse, type Context } from './context.js';
import { argumentsOf, knownTruth, truthOf } from './evaluate.js';
import { callFunction } from './inline.js';
import { itemsOf } from './items.js';
import { loaded } from './member.js';
import { shortCircuit } from './short-circuit.js';
import { assignSlot, pending, readSlot, variable } from './slots.js';
import { isLiteral, nothing, termText, tupleOf, type Term } from './term.js';
import { eachItem } from './visited.js';

/** A method of an array of known length, which is written out; undefined if this is none. */
export const arrayMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined =>
  isKnownArray(of) && isArrayMethod(name) ? methods[name](cx, e, of) : undefined;

type Method = (cx: Context, e: CallExpression, of: Term) => Term;

const isKnownArray = (of: Term): boolean =>
  of.is === 'list' ||
  (of.is === 'table' && of.index.length < of.shape.length) ||
  (of.is === 'host' && Array.isArray(of.value));

const map: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'map', 1);
  const made = eachItem(cx, e, of).map((item, k) => callFunction(cx, e, f, [item(), literal(k), of]));
  const element = elementOf(of);
  if (element === undefined) return tupleOf(made);
  return tupleOf(
    made.map((item) => rounded(cx, e, of, element, item)),
    element,
  );
};

const forEach: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'forEach', 1);
  eachItem(cx, e, of).forEach((item, k) => callFunction(cx, e, f, [item(), literal(k), of]));
  return nothing;
};

const reduced =
  (name: string, last: boolean): Method =>
  (cx, e, of) => {
    const [f, ...start] = functionAnd(cx, e, name, 2);
    const items = eachItem(cx, e, of).map((item, k) => [item, literal(k)] as const);
    if (last) items.reverse();
    if (items.length + start.length === 0)
      return refuse(
        cx,
        e,
        'lang/shape',
        'an array without elements is reduced, and no value is given to begin with',
        `write a.${name}(f, 0)`,
      );
    return items
      .slice(1 - start.length)
      .reduce<Term>((so, [item, k]) => callFunction(cx, e, f, [so, item(), k, of]), start[0] ?? items[0][0]());
  };

const entries: Method = (cx, e, of) =>
  tupleOf(itemsOf(cx, e, of).map((item, k) => tupleOf([literal(k), loaded(cx, e, item)])));

/** Whether some item, or every one, is such: those behind the first that decides are not asked. */
const asked =
  (name: string, every: boolean): Method =>
  (cx, e, of) => {
    const [f] = functionAnd(cx, e, name, 1);
    const ask = (item: Term, k: number): Truth => answerOf(cx, e, callFunction(cx, e, f, [item, literal(k), of]));
    return decidedBy(cx, e, itemsOf(cx, e, of), every, ask);
  };

const includes: Method = (cx, e, of) => {
  const [x, ...more] = argumentsOf(cx, e);
  if (x === undefined || more.length > 0)
    return refuse(cx, e, 'lang/arguments', 'includes takes one argument', 'write a.includes(x)');
  const isEqual = (item: Term): Truth => equalTerms(cx, e, '===', [e, loaded(cx, e, item)], [e, x]);
  return decidedBy(cx, e, itemsOf(cx, e, of), false, isEqual);
};

type Truth = boolean | Scalar;

const decidedBy = (
  cx: Context,
  e: CallExpression,
  items: readonly Term[],
  every: boolean,
  ask: (item: Term, k: number) => Truth,
): Term => {
  const from = (k: number, cx: Context): Truth => {
    if (k === items.length) return every;
    const first = ask(items[k], k);
    if (typeof first === 'boolean') return first === every ? from(k + 1, cx) : first;
    const rest = (): Scalar => {
      const others = from(k + 1, apart(cx));
      return typeof others === 'boolean' ? literal(others) : others;
    };
    return shortCircuit(cx, e, first, every, rest);
  };
  const found = from(0, cx);
  return typeof found === 'boolean' ? literal(found) : found;
};

const answerOf = (cx: Context, e: CallExpression, answer: Term): Truth =>
  knownTruth(answer) ?? truthOf(cx, e, asScalar(cx, e, answer));

const filter: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'filter', 1);
  const stays = (item: Term, k: number): boolean => {
    const truth = answerOf(cx, e, callFunction(cx, e, f, [item, literal(k), of]));
    if (typeof truth === 'boolean') return truth;
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      'which items stay is known only when the kernel runs, and so would be the length of the array',
      'use a loop with an `if`, or reduce',
    );
  };
  return tupleOf(itemsOf(cx, e, of).filter(stays));
};

/** The place of the first item of which it holds, −1 where there is none. */
const placed = (cx: Context, e: CallExpression, of: Term, holds: (item: Term, k: number) => Truth): Term => {
  const truths: Truth[] = [];
  for (const [k, item] of itemsOf(cx, e, of).entries()) if (truths[truths.push(holds(item, k)) - 1] === true) break;
  return truths.reduceRight<Scalar>((rest, truth, k) => {
    if (typeof truth === 'boolean') return truth ? literal(k) : rest;
    return compute(cx, e, 'select', truth, literal(k), rest);
  }, literal(-1));
};

/** The place of an item of which a function holds. */
const placeWhere =
  (name: string, search: typeof placed): Method =>
  (cx, e, of) => {
    const [f] = functionAnd(cx, e, name, 1);
    return search(cx, e, of, (item, k) => answerOf(cx, e, callFunction(cx, e, f, [item, literal(k), of])));
  };

/** The place of an item that equals what is given. */
const placeOf =
  (name: string, search: typeof placed): Method =>
  (cx, e, of) => {
    const [x, ...more] = argumentsOf(cx, e);
    if (x === undefined || more.length > 0)
      return refuse(cx, e, 'lang/arguments', `${name} takes one argument`, `write a.${name}(x)`);
    return search(cx, e, of, (item) => equalTerms(cx, e, '===', [e, loaded(cx, e, item)], [e, x]));
  };

/** The first or the last item of which it holds; undefined where there is none. */
const sought =
  (name: string, last: boolean): Method =>
  (cx, e, of) => {
    const [f] = functionAnd(cx, e, name, 1);
    const items = itemsOf(cx, e, of).map((item, k) => [loaded(cx, e, item), literal(k)] as const);
    if (last) items.reverse();
    const made = pending(cx, e, 'item');
    const slot = { ...made, missing: { ...made.missing!, promised: true as const } };
    const from = (k: number, cx: Context): void => {
      if (k === items.length) return assignSlot(cx, e, slot, nothing);
      const truth = answerOf(cx, e, callFunction(cx, e, f, [...items[k], of]));
      if (truth === true) return assignSlot(cx, e, slot, items[k][0]);
      if (truth === false) return from(k + 1, cx);
      const [then, otherwise] = [
        cx.session.record(() => assignSlot(cx, e, slot, items[k][0])),
        cx.session.record(() => from(k + 1, apart(cx))),
      ];
      cx.session.emit(originOf(cx, e), { do: 'if', condition: truth, then, otherwise });
    };
    from(0, cx);
    return slot.slot ? readSlot(cx, e, slot.slot) : nothing;
  };

/** As `placed`, from the end. */
const placedLast = (cx: Context, e: CallExpression, of: Term, holds: (item: Term, k: number) => Truth): Term => {
  const items = itemsOf(cx, e, of);
  const turned = tupleOf([...items].reverse());
  const from = asScalar(
    cx,
    e,
    placed(cx, e, turned, (item, k) => holds(item, items.length - 1 - k)),
  );
  /* The last is the first of those turned round; none stays −1. */
  const missing = compute(cx, e, 'lt', from, literal(0));
  return compute(cx, e, 'select', missing, from, compute(cx, e, 'sub', literal(items.length - 1), from));
};

/** Sorted by a network of comparisons of neighbours, which leaves equals as they stand. */
const toSorted: Method = (cx, e, of) => {
  if (e.arguments.length === 0)
    return refuse(
      cx,
      e,
      'lang/arguments',
      'without a function an array is sorted by the texts of its items',
      'write a.toSorted((x, y) => x - y)',
    );
  const [f] = functionAnd(cx, e, 'toSorted', 1);
  const items = itemsOf(cx, e, of).map((item) => variable(cx, e, 'item', loaded(cx, e, item)));
  for (let end = items.length - 1; end > 0; end--)
    for (let k = 0; k < end; k++) {
      const [a, b] = [readSlot(cx, e, items[k]), readSlot(cx, e, items[k + 1])];
      const order = asScalar(cx, e, callFunction(cx, e, f, [a, b]));
      const condition = compute(cx, e, 'gt', order, literal(0));
      const then = cx.session.record(() => {
        const held = variable(cx, e, 'item', a);
        assignSlot(cx, e, items[k], b);
        assignSlot(cx, e, items[k + 1], readSlot(cx, e, held));
      });
      cx.session.emit(originOf(cx, e), { do: 'if', condition, then, otherwise: [] });
    }
  return tupleOf(
    items.map((slot) => readSlot(cx, e, slot)),
    elementOf(of),
  );
};

const concat: Method = (cx, e, of) =>
  tupleOf([of, ...argumentsOf(cx, e)].flatMap((x) => (isKnownArray(x) ? itemsOf(cx, e, x) : [x])));

const slice: Method = (cx, e, of) => {
  const items = itemsOf(cx, e, of);
  const bounds = argumentsOf(cx, e).map((x) =>
    isLiteral(x) ? Number(x.value) : refuse(cx, e, 'lang/dynamic-index', 'slice takes known numbers', 'use a loop'),
  );
  return tupleOf(items.slice(...(bounds as [number?, number?])), elementOf(of));
};

/** The item at a known place, from the end where that is negative. */
const at: Method = (cx, e, of) => {
  const items = itemsOf(cx, e, of);
  const [k] = argumentsOf(cx, e);
  if (!k || !isLiteral(k)) return refuse(cx, e, 'lang/dynamic-index', 'at takes a known number', 'write a[i]');
  return items.at(Number(k.value)) ?? nothing;
};

const flat: Method = (cx, e, of) =>
  tupleOf(itemsOf(cx, e, of).flatMap((item) => (isKnownArray(item) ? itemsOf(cx, e, item) : [item])));

const flatMap: Method = (cx, e, of) => flat(cx, e, map(cx, e, of));

const toReversed: Method = (cx, e, of) => tupleOf([...itemsOf(cx, e, of)].reverse());

/** What JavaScript does in place: of an array that has a name the kernel would have to follow that. */
const inPlace =
  (name: string, method: Method): Method =>
  (cx, e, of) => {
    const { type, object } = bare(e.callee) as MemberExpression;
    return type === 'MemberExpression' && ['ArrayExpression', 'CallExpression'].includes(bare(object).type)
      ? method(cx, e, of)
      : refuse(cx, e, 'lang/unsupported-call', `\`${name}\` changes the array itself`, `write [...a].${name}(…)`);
  };

const keys: Method = (cx, e, of) => tupleOf(itemsOf(cx, e, of).map((_, k) => literal(k)));

const values: Method = (cx, e, of) => tupleOf(itemsOf(cx, e, of).map((item) => loaded(cx, e, item)));

const methods: Readonly<Record<(typeof arrayMethods)[number], Method>> = {
  map,
  forEach,
  reduce: reduced('reduce', false),
  reduceRight: reduced('reduceRight', true),
  entries,
  some: asked('some', false),
  every: asked('every', true),
  includes,
  indexOf: placeOf('indexOf', placed),
  findIndex: placeWhere('findIndex', placed),
  filter,
  concat,
  slice,
  at,
  flat,
  flatMap,
  find: sought('find', false),
  findLast: sought('findLast', true),
  findLastIndex: placeWhere('findLastIndex', placedLast),
  lastIndexOf: placeOf('lastIndexOf', placedLast),
  sort: inPlace('sort', toSorted),
  toSorted,
  reverse: inPlace('reverse', toReversed),
  toReversed,
  keys,
  values,
};

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

/** The type of what these are the elements of, where that is a typed array, whose `map` makes another such. */
const elementOf = (of: Term): ScalarType | undefined =>
  of.is === 'list' || (of.is === 'table' && of.index.length === of.shape.length - 1) ? of.element : undefined;

const rounded = (cx: Context, e: CallExpression, of: Term, element: ScalarType, item: Term): Term => {
  if (element === 'f64') return item;
  return isFloat(element)
    ? cx.session.cast(originOf(cx, e), asScalar(cx, e, item), element)
    : refuse(
        cx,
        e,
        'lang/unsupported-call',
        `${termText(of)} is a typed array of ${element}, and \`map\` of one makes another`,
        'write [...a].map(…), which makes an array',
      );
};
