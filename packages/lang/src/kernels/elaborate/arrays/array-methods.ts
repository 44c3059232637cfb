import type { AnyNode, CallExpression, MemberExpression } from 'acorn';
import { isFloat, type ScalarType } from '@filigree/ir';
import { bare } from '../../../source/ast.js';
import { literal, type Interval, type Scalar } from '../../code/scalar.js';
import { isArrayMethod, type arrayMethods } from '../terms/array-members.js';
import { equalTerms } from '../expressions/binary-operation.js';
import { apart, asScalar, compute, originOf, refuse, type Context } from '../context/context.js';
import { give } from '../places/assign.js';
import { indexedDestination } from '../places/destination.js';
import { argumentsOf, truthOfTerm } from '../expressions/evaluate.js';
import { refuseShared } from '../terms/holds.js';
import { methodOfGiven } from './given-array.js';
import { callFunction } from '../calls/inline.js';
import { eachItem, itemsOf } from '../terms/items.js';
import { made } from '../terms/made.js';
import { refuseOneForAll } from './made-array.js';
import { hasItems } from '../terms/sharing.js';
import { asIndex } from '../terms/index-of.js';
import { itemIfThere } from '../expressions/item-if-there.js';
import { loaded, named } from '../terms/member.js';
import { promised } from '../terms/missing.js';
import { pop, push, shift, splice, unshift } from './push.js';
import { shortCircuit } from '../expressions/short-circuit.js';
import { folded, mapped, promisedSlot, sieved, visitsOf, whereThere, type Visit } from './sieve.js';
import { assignSlot, readSlot, variable } from '../terms/slots.js';
import { isLiteral, isScalar, nothing, termText, tupleOf, type List, type Sieve, type Term } from '../context/term.js';

/** A method of an array of known length, which is written out; undefined if this is none. */
export const arrayMethod = (cx: Context, e: CallExpression, of: Term, name: string): Term | undefined => {
  if (of.is === 'array' && name !== 'at') return methodOfGiven(cx, e, of, name);
  if (!isArrayMethod(name) || !(isKnownArray(of) || (name === 'at' && isOtherArray(of)))) return undefined;
  if (name in lengthMethods)
    return elementOf(of) === undefined ? lengthMethods[name as keyof typeof lengthMethods](cx, e, of) : undefined;
  return methods[name as keyof typeof methods]({ ...cx, visiting: [...cx.visiting, of] }, e, of);
};

/** A method that makes an array of its own. */
const fresh =
  (method: (cx: Context, e: CallExpression, of: Term) => List): Method =>
  (cx, e, of) =>
    made(cx, e, method(cx, e, of));

type Method = (cx: Context, e: CallExpression, of: Term) => Term;

const isKnownArray = (of: Term): boolean =>
  of.is === 'list' ||
  of.is === 'sieve' ||
  (of.is === 'table' && of.index.length < of.shape.length) ||
  (of.is === 'host' && Array.isArray(of.value));

/** An array whose length, or which it is, is known only when the kernel runs. */
const isOtherArray = (of: Term): boolean =>
  of.is === 'array' || (of.is === 'one-of' && of.values.every((value) => Array.isArray(value)));

const map: Method = (cx, e, of) => {
  if (of.is !== 'sieve') return mapList(cx, e, of);
  const [f] = functionAnd(cx, e, 'map', 1);
  return mapped(cx, e, of, (inner, item, k) => callFunction(inner, e, f, [item, k, of]));
};

const mapList = fresh((cx, e, of) => {
  const [f] = functionAnd(cx, e, 'map', 1);
  const list = eachItem(cx, e, of).map((item, k) => callFunction(cx, e, f, [item(), literal(k), of]));
  const element = elementOf(of);
  if (element === undefined) return tupleOf(list);
  return tupleOf(
    list.map((item) => rounded(cx, e, of, element, item)),
    element,
  );
});

const forEach: Method = (cx, e, of) => {
  const [f] = functionAnd(cx, e, 'forEach', 1);
  for (const { item, place, there } of visitsOf(cx, e, of))
    whereThere(cx, e, there, (inner) => void callFunction(inner, e, f, [item(), place, of]));
  return nothing;
};

const reduced =
  (name: string, last: boolean): Method =>
  (cx, e, of) => {
    const [f, ...start] = functionAnd(cx, e, name, 2);
    if (of.is === 'sieve') {
      const [first] = start;
      if (first !== undefined)
        return folded(cx, e, of, first, last, (inner, ...args) => callFunction(inner, e, f, args));
      return refuse(
        cx,
        e,
        'lang/dynamic-index',
        `whether ${termText(of)}, has a first item would be known only when the kernel runs`,
        `give what to begin with: a.${name}(f, 0)`,
      );
    }
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

/** An iterator, of the items that are there when it is gone through: each is read when its turn comes. */
const inTurn =
  (made: (item: () => Term, place: Scalar) => Term): Method =>
  (cx, e, of) => {
    const items = (): readonly (() => Term)[] =>
      visitsOf(cx, e, of).map(
        ({ item, place }) =>
          () =>
            made(() => loaded(cx, e, item()), place),
      );
    const there = of.is === 'sieve' ? { there: of.items.map((kept) => kept.there) } : {};
    return { is: 'loop', space: { over: 'items', items, of, ...there, since: cx.stretch }, order: 'unrolled' };
  };

type Truth = boolean | Scalar;

/** Asks an item, at its place. */
type Ask = (cx: Context, item: Term, place: Scalar) => Truth;

/** What a function says of an item. */
const answers = (cx: Context, e: CallExpression, of: Term, name: string): Ask => {
  const [f] = functionAnd(cx, e, name, 1);
  return (inner, item, place) => truthOfTerm(inner, e, callFunction(inner, e, f, [item, place, of]));
};

/** Whether an item equals what is given; NaN equals NaN where that is said. */
const equals = (cx: Context, e: CallExpression, name: string, isNaNEqual = false): Ask => {
  const [x, ...more] = argumentsOf(cx, e);
  if (x === undefined || more.length > 0)
    return refuse(cx, e, 'lang/arguments', `${name} takes one argument`, `write a.${name}(x)`);
  return sameAs(e, x, isNaNEqual);
};

const sameAs = (e: AnyNode, x: Term, isNaNEqual: boolean): Ask => {
  const same = (inner: Context, a: Term, b: Term): Truth => equalTerms(inner, e, '===', [e, a], [e, b]);
  if (!isNaNEqual || !isScalar(x)) return (inner, item) => same(inner, item, x);
  return (inner, item) => {
    const equal = same(inner, item, x);
    if (!isScalar(item) || (typeof equal === 'boolean' && (equal || ![item, x].some(isNaNLiteral)))) return equal;
    const [a, b] = [item, x].map((one) => compute(inner, e, 'ne', one, one));
    const areNaN = compute(inner, e, 'and', a, b);
    return typeof equal === 'boolean' ? areNaN : compute(inner, e, 'or', equal, areNaN);
  };
};

const isNaNLiteral = (s: Scalar): boolean => isLiteral(s) && Number.isNaN(s.value);

/** What is said of an item that is there; of one that is not what is said of none. */
const askedWhereThere = (cx: Context, e: AnyNode, { item, place, there }: Visit, none: boolean, ask: Ask): Truth => {
  if (there === undefined) return ask(cx, loaded(cx, e, item()), place);
  const answer = (): Scalar => {
    const truth = ask(apart(cx), item(), place);
    return typeof truth === 'boolean' ? literal(truth) : truth;
  };
  return shortCircuit(cx, e, none ? compute(cx, e, 'not', there) : there, !none, answer);
};

/** Whether some item, or every one, is such: those behind the first that decides are not asked. */
const asked =
  (every: boolean, asks: (cx: Context, e: CallExpression, of: Term) => Ask): Method =>
  (cx, e, of) => {
    const ask = asks(cx, e, of);
    const visits = visitsOf(cx, e, of);
    const from = (k: number, inner: Context): Truth => {
      if (k === visits.length) return every;
      const first = askedWhereThere(inner, e, visits[k], every, ask);
      if (typeof first === 'boolean') return first === every ? from(k + 1, inner) : first;
      const rest = (): Scalar => {
        const others = from(k + 1, apart(inner));
        return typeof others === 'boolean' ? literal(others) : others;
      };
      return shortCircuit(inner, e, first, every, rest);
    };
    const found = from(0, cx);
    return typeof found === 'boolean' ? literal(found) : found;
  };

/** Which items stay may be known only when the kernel runs; it is known how many may. */
const filter: Method = (cx, e, of) => {
  const ask = answers(cx, e, of, 'filter');
  const items = visitsOf(cx, e, of).flatMap((visit): readonly (readonly [Term, Truth])[] => {
    const term = loaded(cx, e, visit.item());
    const truth = askedWhereThere(cx, e, { ...visit, item: () => term }, false, ask);
    return truth === false ? [] : [[term, truth]];
  });
  if (items.every(([, truth]) => truth === true)) return made(cx, e, tupleOf(items.map(([term]) => term)));
  return sieved(
    cx,
    e,
    items.map(([term, truth]) => [term, truth === true ? literal(true) : (truth as Scalar)]),
  );
};

/** What is searched for: from which end, what is asked, and what is given for the item that is found, or for none. */
interface Search {
  readonly last: boolean;
  readonly ask: Ask;
  readonly found: (item: Term, place: Scalar) => Term;
  readonly none: Term;
  readonly within?: Interval;
}

/** Items behind the one that is found are not asked. */
const search = (cx: Context, e: AnyNode, of: Term, { last, ask, found, none, within }: Search): Term => {
  const visits = [...visitsOf(cx, e, of)];
  if (last) visits.reverse();
  const slot = promisedSlot(cx, e);
  /** What is found from here on, where that is known now; else the slot is given it. */
  const from = (n: number, inner: Context): Term | undefined => {
    if (n === visits.length) return none;
    const { place } = visits[n];
    const term = loaded(inner, e, visits[n].item());
    const truth = askedWhereThere(inner, e, { ...visits[n], item: () => term }, false, ask);
    if (typeof truth === 'boolean') return truth ? found(term, place) : from(n + 1, inner);
    const [then, otherwise] = [() => found(term, place), () => from(n + 1, apart(inner))].map((arm) =>
      cx.session.record(() => {
        const known = arm();
        if (known) assignSlot(inner, e, slot, known);
      }),
    );
    cx.session.emit(originOf(cx, e), { do: 'if', condition: truth, then, otherwise });
    return undefined;
  };
  return from(0, cx) ?? (slot.slot ? readSlot(cx, e, slot.slot, within) : nothing);
};

/** The first or the last item of which a function holds; undefined where there is none. */
const itemWhere =
  (name: string, last: boolean): Method =>
  (cx, e, of) =>
    search(cx, e, of, { last, ask: answers(cx, e, of, name), found: (item) => item, none: nothing });

/** The item at a place of an array whose length is known only when the kernel runs; undefined where there is none. */
export const itemAt = (cx: Context, e: AnyNode, of: Sieve, index: Scalar): Term =>
  search(cx, e, of, {
    last: false,
    ask: (inner, _, place) => equalTerms(inner, e, '===', [e, place], [e, index]),
    found: (item) => item,
    none: nothing,
  });

/** The place of the first or the last item that is such, −1 where there is none. */
const placeWhere =
  (last: boolean, asks: (cx: Context, e: CallExpression, of: Term) => Ask): Method =>
  (cx, e, of) => {
    const within = [-1, visitsOf(cx, e, of).length - 1] as const;
    return search(cx, e, of, { last, ask: asks(cx, e, of), found: (_, place) => place, none: literal(-1), within });
  };

/** The place of what is given among the items, as a Map finds a key; −1 where it is none of them. */
export const placeAmong = (cx: Context, e: AnyNode, of: Term, x: Term): Term => {
  const within = [-1, visitsOf(cx, e, of).length - 1] as const;
  return search(cx, e, of, {
    last: false,
    ask: sameAs(e, x, true),
    found: (_, place) => place,
    none: literal(-1),
    within,
  });
};

/** Sorted by a network of comparisons of neighbours, which leaves equals as they stand. */
const toSorted = fresh((cx, e, of) => {
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
});

const concat = fresh((cx, e, of) => tupleOf([of, ...argumentsOf(cx, e)].flatMap((x) => spread(cx, e, x))));

/** The items of an array; of anything else itself. */
const spread = (cx: Context, e: CallExpression, x: Term): readonly Term[] =>
  isKnownArray(x) ? itemsOf(cx, e, x) : [x];

const slice = fresh((cx, e, of) => {
  const items = itemsOf(cx, e, of);
  const bounds = argumentsOf(cx, e).map((x) =>
    isLiteral(x) ? Number(x.value) : refuse(cx, e, 'lang/dynamic-index', 'slice takes known numbers', 'use a loop'),
  );
  return tupleOf(items.slice(...(bounds as [number?, number?])), elementOf(of));
});

/** The item at a place, from the end where that is negative; undefined where there is none. */
const at: Method = (cx, e, of) => {
  const [k] = argumentsOf(cx, e);
  if (k === undefined || e.arguments.length > 1)
    return refuse(cx, e, 'lang/arguments', 'at takes one argument', 'write a.at(-1)');
  if (isLiteral(k) && of.is !== 'array' && of.is !== 'one-of') {
    if (of.is !== 'sieve') return itemsOf(cx, e, of).at(Number(k.value)) ?? nothing;
    return itemAt(cx, e, of, Number(k.value) < 0 ? compute(cx, e, 'add', of.length, k) : k);
  }
  const index = asIndex(cx, e.arguments[0], k);
  const fromEnd = compute(cx, e, 'add', named(cx, e, of, 'length') as Scalar, index);
  const place = compute(cx, e, 'select', compute(cx, e, 'lt', index, literal(0)), fromEnd, index);
  return promised(cx, itemIfThere(cx, e, of, place));
};

const flat = fresh((cx, e, of) => tupleOf(itemsOf(cx, e, of).flatMap((item) => spread(cx, e, item))));

const flatMap = fresh((cx, e, of) => {
  const [f] = functionAnd(cx, e, 'flatMap', 1);
  return tupleOf(
    eachItem(cx, e, of).flatMap((item, k) => spread(cx, e, callFunction(cx, e, f, [item(), literal(k), of]))),
  );
});

const toReversed = fresh((cx, e, of) => tupleOf([...itemsOf(cx, e, of)].reverse()));

/** What JavaScript does in place: of an array that has a name the kernel would have to follow that. */
const inPlace =
  (name: string, method: Method): Method =>
  (cx, e, of) => {
    const { type, object } = bare(e.callee) as MemberExpression;
    return type === 'MemberExpression' && ['ArrayExpression', 'CallExpression'].includes(bare(object).type)
      ? method(cx, e, of)
      : refuse(cx, e, 'lang/unsupported-call', `\`${name}\` changes the array itself`, `write [...a].${name}(…)`);
  };

/** Assigns one value to each item, or to those between known places. */
const fill: Method = (cx, e, of) => {
  const [x, ...ends] = argumentsOf(cx, e);
  if (x === undefined || ends.length > 2)
    return refuse(cx, e, 'lang/arguments', 'fill takes from one to three arguments', 'write a.fill(0)');
  if (of.is !== 'list')
    return refuse(
      cx,
      e,
      'lang/captured-write',
      `\`fill\` changes ${termText(of)}`,
      'fill an array that the kernel makes: new Float32Array(n), [...a]',
    );
  if (hasItems(x)) return refuseOneForAll(cx, e);
  const [from, to] = ends.map((end) =>
    isLiteral(end)
      ? Number(end.value)
      : refuse(cx, e, 'lang/dynamic-index', 'fill takes known numbers', 'write a loop: for (let k = a; k < b; k++)'),
  );
  const places = [...of.items.keys()].slice(from ?? 0, to);
  if (places.length > 0) refuseShared(cx, e.arguments[0], x, 1);
  for (const k of places) give(cx, e, indexedDestination(cx, e, of, literal(k)), x, e.arguments[0]);
  return of;
};

/** `a.set(items, from)` of a typed array that the kernel makes: the items of another array, from a known place on. */
const set: Method = (cx, e, of) => {
  const [items, start = literal(0), ...more] = argumentsOf(cx, e);
  if (items === undefined || !isKnownArray(items) || items.is === 'sieve' || more.length > 0)
    return refuse(cx, e, 'lang/arguments', 'set takes an array, and where it begins', 'write a.set(items)');
  if (of.is !== 'list' || !isLiteral(start))
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `\`set\` changes ${termText(of)} from a place on that must be known`,
      'write a loop: for (let k = 0; k < items.length; k++)',
    );
  const values = itemsOf(cx, e, items).map((item) => loaded(cx, e, item));
  values.forEach((x, k) => {
    const at = literal(Number(start.value) + k);
    give(cx, e, indexedDestination(cx, e, of, at), x, e.arguments[0]);
  });
  return nothing;
};

/** A text of items that are known. */
const join: Method = (cx, e, of) => {
  const texts = [...argumentsOf(cx, e), ...itemsOf(cx, e, of)].map((item) =>
    isLiteral(item) || (item.is === 'host' && typeof item.value === 'string')
      ? String(item.value)
      : refuse(
          cx,
          e,
          'lang/unsupported-call',
          'a text of what is computed cannot be part of a kernel',
          'print the items: print(...a)',
        ),
  );
  const text = e.arguments.length > 0 ? texts.slice(1).join(texts[0]) : texts.join();
  return { is: 'host', name: text, value: text };
};

const lengthMethods = { push, pop, shift, unshift, splice };

const methods: Readonly<Record<Exclude<(typeof arrayMethods)[number], keyof typeof lengthMethods>, Method>> = {
  map,
  forEach,
  reduce: reduced('reduce', false),
  reduceRight: reduced('reduceRight', true),
  entries: inTurn((item, place) => tupleOf([place, item()])),
  some: asked(false, (cx, e, of) => answers(cx, e, of, 'some')),
  every: asked(true, (cx, e, of) => answers(cx, e, of, 'every')),
  includes: asked(false, (cx, e) => equals(cx, e, 'includes', true)),
  indexOf: placeWhere(false, (cx, e) => equals(cx, e, 'indexOf')),
  findIndex: placeWhere(false, (cx, e, of) => answers(cx, e, of, 'findIndex')),
  filter,
  concat,
  slice,
  at,
  flat,
  flatMap,
  find: itemWhere('find', false),
  findLast: itemWhere('findLast', true),
  findLastIndex: placeWhere(true, (cx, e, of) => answers(cx, e, of, 'findLastIndex')),
  lastIndexOf: placeWhere(true, (cx, e) => equals(cx, e, 'lastIndexOf')),
  sort: inPlace('sort', toSorted),
  toSorted,
  reverse: inPlace('reverse', toReversed),
  toReversed,
  join,
  fill,
  set,
  keys: inTurn((_, place) => place),
  values: inTurn((item) => item()),
};

/** The arguments of a method: a function, and no more than so many in all. */
const functionAnd = (cx: Context, e: CallExpression, name: string, most: number): readonly [Term, ...Term[]] => {
  const [f, ...more] = argumentsOf(cx, e);
  const value = f?.is === 'host' ? f.value : f?.is === 'one-of' ? f.values[0] : undefined;
  if (f?.is !== 'closure' && typeof value !== 'function')
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
