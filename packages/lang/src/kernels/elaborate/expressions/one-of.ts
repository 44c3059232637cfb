import type { AnyNode } from 'acorn';
import { isField } from '@filigree/sparse/fields';
import { literal, type Scalar } from '../../code/scalar.js';
import type { Shape } from '../../vocabulary/algebra.js';
import { isMat, isVec, shapedOf } from '../../vocabulary/vec.js';
import { asScalar, compute, refuse, type Context } from '../context/context.js';
import { chosen } from './choice.js';
import { fromHost, tableOf } from '../terms/host-value.js';
import { hold } from '../terms/holds.js';
import { indexed, named, promiseWithin } from '../terms/member.js';
import { absent, promised } from '../terms/missing.js';
import type { Session } from '../context/session.js';
import {
  isLiteral,
  isOfTexts,
  termText,
  type Host,
  type Mixed,
  type OneOf,
  type Table,
  type Term,
} from '../context/term.js';
import type { Visited } from './visited.js';

/*
 * Arrays of objects around a kernel, `spheres[k].radius`, at an index that the kernel finds. Nothing is chosen where the index is
 * written: what is read of the object in the end are numbers, and those of all objects are a table.
 */

/** An item of an array of the surroundings. */
export const itemOfHost = (cx: Context, e: AnyNode, of: Host, index: Scalar): Term => {
  const values = columnOf(cx.session, of.value as readonly unknown[], '[whole]', (all) => Array.from(all));
  promiseWithin(cx, e, index, values.length);
  return oneOf(cx, e, `${of.name}[k]`, values, index);
};

/** A member of whichever object it is; undefined where none has it. */
export const memberOfOne = (cx: Context, e: AnyNode, of: OneOf, name: string): Term | undefined =>
  of.values.some((value) => name in Object(value))
    ? oneOf(cx, e, `${of.name}.${name}`, column(cx, of, name), of.index)
    : undefined;

/** What an object has by whichever text it is, `density[kind]`; undefined of what is no object with names. */
export const memberByText = (cx: Context, e: AnyNode, of: Term, key: OneOf): Term | undefined => {
  if (of.is === 'members') {
    const item = (k: number): Term => named(cx, e, of, key.values[k] as string);
    const choice = (k: number): Term =>
      k === key.values.length - 1
        ? item(k)
        : chosen(
            cx,
            e,
            compute(cx, e, 'eq', key.index, literal(k)),
            { node: e, term: () => item(k) },
            { node: e, term: () => choice(k + 1) },
          );
    return choice(0);
  }
  if (of.is === 'one-of') {
    const each = column(cx, of, `[in each ${numberOf(cx.session, key.values)}]`, (all) =>
      all.flatMap((one) => key.values.map((name) => (one as Record<string, unknown>)[name as string])),
    );
    const flat = compute(cx, e, 'add', compute(cx, e, 'mul', of.index, literal(key.values.length)), key.index);
    return oneOf(cx, e, `${of.name}[${key.name}]`, each, flat);
  }
  if (of.is !== 'host' || typeof of.value !== 'object' || of.value === null) return undefined;
  const holder = of.value as Record<string, unknown>;
  const values = column(cx, key, `[in ${numberOf(cx.session, holder)}]`, (all) =>
    all.map((name) => holder[name as string]),
  );
  return oneOf(cx, e, `${of.name}[${key.name}]`, values, key.index);
};

/** A letter of a text of the surroundings. */
export const itemOfText = (cx: Context, e: AnyNode, of: Host, index: Scalar): Term =>
  indexed(cx, e, { ...of, value: lettersOf(cx, of.value as string) }, index);

/** The letters of a text as it is gone through: of two units where they are one. */
export const lettersIn = (cx: Context, e: AnyNode, { name, value }: Host): readonly (() => Term)[] =>
  [...(value as string)].map((letter, k) => () => fromHost(cx, e, `${name}[${k}]`, letter));

/* The same array each time for one text, so that what is read twice is one table. */
const lettersOf = ({ session: { letters } }: Context, text: string): readonly string[] => {
  const known = letters.get(text) ?? text.split('');
  letters.set(text, known);
  return known;
};

/** Texts as arrays of their letters, or of what `made` makes of them; any other values as they are. */
export const asArrays = (
  cx: Context,
  of: OneOf,
  key = '[letters]',
  made = (text: string): readonly unknown[] => lettersOf(cx, text),
): OneOf => (isOfTexts(of) ? { ...of, values: column(cx, of, key, (all) => (all as string[]).map(made)) } : of);

/** What a method of whichever text it is gives for what is known. */
export const calledOfOne = (
  cx: Context,
  e: AnyNode,
  of: OneOf,
  name: string,
  call: (text: unknown) => unknown,
  key: string,
): Term =>
  oneOf(
    cx,
    e,
    `${of.name}.${name}`,
    column(cx, of, `[${name}(${key})]`, (all) => all.map(call)),
    of.index,
  );

/** An item of whichever array it is. */
export const itemOfOne = (cx: Context, e: AnyNode, one: OneOf, index: Scalar): Term => {
  const of = asArrays(cx, one);
  const lengths = lengthsOf(cx, e, of);
  const most = Math.max(...lengths);
  if (isLiteral(index)) {
    const k = Number(index.value);
    return Number.isInteger(k) && k >= 0 && k < Math.min(...lengths)
      ? oneOf(cx, e, `${of.name}[${k}]`, column(cx, of, k), of.index)
      : refuse(
          cx,
          e,
          'lang/index-range',
          `there is no element ${String(index.value)} in each \`${of.name}\``,
          'use an index from 0 up to the length of the shortest',
        );
  }
  promiseWithin(cx, e, index, most);
  const within = compute(cx, e, 'max', literal(0), compute(cx, e, 'min', index, literal(most - 1)));
  const flat = compute(cx, e, 'add', compute(cx, e, 'mul', of.index, literal(most)), within);
  return oneOf(cx, e, `${of.name}[j]`, column(cx, of, '', padded(most)), flat);
};

/** The items of whichever array it is; of arrays of several lengths those that are there. */
export const itemsOfOne = (cx: Context, e: AnyNode, one: OneOf): readonly Visited[] => {
  const of = asArrays(cx, one);
  const lengths = lengthsOf(cx, e, of);
  const length = memberOfOne(cx, e, of, 'length') as Scalar;
  return Array.from({ length: Math.max(...lengths) }, (_, k) => ({
    item: () =>
      oneOf(
        cx,
        e,
        `${of.name}[${k}]`,
        column(cx, of, k, (all) => all.map((row) => itemOr(row, k, all))),
        of.index,
      ),
    ...(k < Math.min(...lengths) ? {} : { there: compute(cx, e, 'gt', length, literal(k)) }),
  }));
};

/** The same, taken apart: of arrays of one length. */
export const partsOfOne = (cx: Context, e: AnyNode, of: OneOf): readonly (() => Term)[] =>
  new Set(lengthsOf(cx, e, asArrays(cx, of))).size === 1
    ? itemsOfOne(cx, e, of).map(({ item }) => item)
    : refuse(cx, e, 'lang/shape', `${termText(of)} is of no known length`, 'loop over it, or index it');

/** Whether it is this one, or is not. */
export const equalsOne = (cx: Context, e: AnyNode, of: OneOf, other: Term, equal: boolean): Scalar => {
  if (other.is === 'one-of') return compute(cx, e, equal ? 'eq' : 'ne', numbered(cx, e, of), numbered(cx, e, other));
  const wanted = other.is === 'host' ? other.value : undefined;
  const key = `${equal ? '===' : '!=='}${String(wanted)}`;
  const values =
    typeof wanted === 'string'
      ? column(cx, of, key, (all) => all.map((value) => (value === wanted) === equal))
      : of.values.map((value) => (value === wanted) === equal);
  return asScalar(cx, e, oneOf(cx, e, of.name, values, of.index));
};

/** Whether it has a member. */
export const oneHas = (cx: Context, e: AnyNode, of: OneOf, name: string): Term =>
  oneOf(
    cx,
    e,
    of.name,
    column(cx, of, `[has ${name}]`, (all) => all.map((value) => name in (value as object))),
    of.index,
  );

const numbered = (cx: Context, e: AnyNode, of: OneOf): Scalar => {
  const numbers = column(cx, of, '[number]', (all) => all.map((value) => numberOf(cx.session, value)));
  return asScalar(cx, e, oneOf(cx, e, of.name, numbers, of.index));
};

/** A number for each value that is asked for, the same for the same one. */
export const numberOf = ({ numbers }: Session, value: unknown): number => {
  const number = numbers.get(value) ?? numbers.size;
  numbers.set(value, number);
  return number;
};

/** Which of other values it is, by its number among them; undefined where they are not all there. */
export const numberAmong = (
  cx: Context,
  e: AnyNode,
  of: OneOf,
  among: readonly unknown[],
  key: string,
): Scalar | undefined => {
  if (!of.values.every((value) => among.includes(value))) return undefined;
  if (of.values === among) return of.index;
  const numbers = column(cx, of, `[among ${key}]`, (all) => all.map((value) => among.indexOf(value)));
  return asScalar(cx, e, oneOf(cx, e, of.name, numbers, of.index));
};

/** One of several values: what is alike in all of them is known, numbers are an element of a table. */
export const oneOf = (cx: Context, e: AnyNode, name: string, values: readonly unknown[], index: Scalar): Term => {
  const [first] = values;
  if (values.every((value) => Object.is(value, first))) return fromHost(cx, e, name, first);
  const table = tableIn(cx.session, name, values);
  if (table) return indexed(cx, e, table, index);
  if (values.every((value) => typeof value === 'boolean')) {
    const bits = tableIn(
      cx.session,
      name,
      columnOf(cx.session, values, '[bits]', (all) => all.map(Number)),
    );
    return compute(cx, e, 'ne', asScalar(cx, e, indexed(cx, e, bits!, index)), literal(0));
  }
  const shape = shapeOfAll(values);
  if (shape) {
    const elements = Array.from({ length: shape.reduce((n, x) => n * x, 1) }, (_, k) => {
      const those = columnOf(cx.session, values, k, (all) => all.map((value) => shapedOf(value).elements[k]));
      return asScalar(cx, e, oneOf(cx, e, name, those, index));
    });
    const term: Term = { is: 'shaped', shape, elements };
    hold(cx, term, -1);
    return term;
  }
  const none = values.find((value) => value === undefined || value === null);
  if (values.includes(none)) return mayBeThere(cx, e, name, values, index, none as null | undefined);
  const kinds = new Set(values.map(kindOf));
  if (kinds.size > 1 && !kinds.has(undefined)) return { is: 'mixed', name, values, index };
  if (values.some(isField)) return fromHost(cx, e, name, values.find(isField));
  if (!areUsable(values))
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `which \`${name}\` this is is known only when the kernel runs, and they are not of one kind`,
      'give all of them numbers, truth values, texts, vectors, functions or objects with the same members; or loop with unrolled(range(n))',
    );
  return { is: 'one-of', name, values, index };
};

/** The name of a column without what is undefined or null. */
const FILLED = '[filled]';

/** What is undefined, or null, in some. */
const mayBeThere = (
  cx: Context,
  e: AnyNode,
  name: string,
  values: readonly unknown[],
  index: Scalar,
  none: null | undefined,
): Term => {
  const own = (key: string, make: (value: unknown, other: unknown) => unknown): readonly unknown[] =>
    columnOf(cx.session, values, key, (all) => {
      const other = all.find((value) => value !== none);
      return all.map((value) => make(value, other));
    });
  const there = asScalar(
    cx,
    e,
    oneOf(
      cx,
      e,
      name,
      own('[there]', (value) => value !== none),
      index,
    ),
  );
  const filled = own(FILLED, (value, other) => (value === none ? other : value));
  const found = chosen(
    cx,
    e,
    there,
    { node: e, term: () => oneOf(cx, e, name, filled, index) },
    { node: e, term: () => absent(none === null ? 'null' : 'undefined') },
  );
  /* Which members there are may be told by another, as in `shape.kind === 'circle' ? shape.radius : shape.width`. */
  return promised(cx, found);
};

/** Whether a kernel can use values without knowing which one it is: texts, arrays, objects, or functions. */
export const areUsable = (values: readonly unknown[]): boolean => {
  const [kind, ...others] = new Set(values.map(kindOf));
  return others.length === 0 && (kind === 'string' || kind === 'function' || kind === 'array' || kind === 'object');
};

export type HostKind = 'number' | 'boolean' | 'string' | 'function' | 'array' | 'object' | 'vector';

export const kindOf = (value: unknown): HostKind | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'string' || typeof value === 'function' || typeof value === 'boolean')
    return typeof value as HostKind;
  if (Array.isArray(value)) return 'array';
  if (isVec(value) || isMat(value)) return 'vector';
  return typeof value === 'object' && value !== null && !isField(value) ? 'object' : undefined;
};

/** The shape of vectors, or of matrices, where all are such of one shape. */
const shapeOfAll = (values: readonly unknown[]): Shape | undefined => {
  if (!values.every((value) => isVec(value) || isMat(value))) return undefined;
  const [first, ...others] = values.map((value) => shapedOf(value).shape);
  return others.every((shape) => shape.join() === first.join()) ? first : undefined;
};

const lengthsOf = (cx: Context, e: AnyNode, of: OneOf): readonly number[] => {
  const rows = of.values.filter((value) => Array.isArray(value));
  if (rows.length < of.values.length)
    return refuse(cx, e, 'lang/indices', `${termText(of)} has no elements`, 'name a member, `.x`');
  if (rows.some((row) => row.includes(undefined)))
    return refuse(
      cx,
      e,
      'lang/dynamic-index',
      `which \`${of.name}\` this is is known only when the kernel runs, and an item of one is undefined`,
      'give every item a value, such as null or NaN',
    );
  return rows.map((row) => row.length);
};

/** All items, of each array as many as the longest has. */
const padded =
  (length: number) =>
  (rows: readonly unknown[]): readonly unknown[] =>
    rows.flatMap((row) => Array.from({ length }, (_, k) => itemOr(row, k, rows)));

/** An item, and where there is none what another array has there: it is not used. */
const itemOr = (row: unknown, k: number, rows: readonly unknown[]): unknown =>
  [row, ...rows].map((one) => (one as readonly unknown[])[k]).find((item) => item !== undefined);

const column = (
  cx: Context,
  of: OneOf,
  key: string | number,
  make = (all: readonly unknown[]): readonly unknown[] => all.map((value) => (value as Record<string, unknown>)[key]),
): readonly unknown[] => columnOf(cx.session, of.values, key, make);

/** What is made of each of several values of several kinds. */
export const columnOfMixed = (
  cx: Context,
  of: Mixed,
  key: string,
  make: (value: unknown) => unknown,
): readonly unknown[] => columnOf(cx.session, of.values, key, (all) => all.map(make));

/** What is made of several values; of the same values it is the same array each time, so that what is read twice is one table. */
export const columnOf = (
  { parts }: Session,
  values: readonly unknown[],
  key: string | number,
  make: (all: readonly unknown[]) => readonly unknown[],
): readonly unknown[] => {
  const known = parts.get(values) ?? new Map<string | number, readonly unknown[]>();
  parts.set(values, known);
  const part = known.get(key) ?? make(values);
  known.set(key, part);
  return part;
};

/**
 * What values lead to by the way that leads from them to others: where a variable is given what the object that it holds names, `l = l.next`, all
 * that come behind it, at most so many.
 */
export const reachedFrom = (
  { parts }: Session,
  from: readonly unknown[],
  to: readonly unknown[],
  most: number,
): ReadonlySet<unknown> => {
  const wayFrom = (values: readonly unknown[]): readonly (string | number)[] | undefined => {
    if (values === to) return [];
    for (const [key, part] of parts.get(values) ?? []) {
      const rest = key === FILLED || isMember(key) ? wayFrom(part) : undefined;
      if (rest) return key === FILLED ? rest : [key, ...rest];
    }
    return undefined;
  };
  const way = wayFrom(from);
  const found = new Set([...from, ...to]);
  for (const value of way ? found : []) {
    const next = way!.reduce<unknown>((of, key) => (of as Record<string, unknown> | null | undefined)?.[key], value);
    if (next !== undefined && next !== null) found.add(next);
    if (found.size > most) break;
  }
  return found;
};

/** Whether the name of a column is that of a member or item. */
const isMember = (key: string | number): boolean => typeof key === 'number' || !/^$|^[[!=]/.test(key);

const tableIn = ({ tableOfPart }: Session, name: string, values: readonly unknown[]): Table | undefined => {
  const table = tableOfPart.has(values) ? tableOfPart.get(values) : tableOf(name, values);
  tableOfPart.set(values, table);
  return table;
};
