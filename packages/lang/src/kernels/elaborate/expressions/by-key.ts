import type { AnyNode } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { placeAmong } from '../arrays/array-methods.js';
import { asScalar, compute, type Context } from '../context/context.js';
import type { Host, Term } from '../context/term.js';
import { fromHost } from '../terms/host-value.js';
import { promised } from '../terms/missing.js';
import { itemIfThere } from './item-if-there.js';
import { calledOfOne, numberOf } from './one-of.js';

/*
 * Maps, Sets and records of the surroundings, asked for a key that the kernel finds: what they have is known, and which of it is meant is found among the
 * keys.
 */

type Collection = ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>;

/** What `get` and `has` of a Map or a Set say of a key; undefined of one that is known when the kernel is compiled. */
export const foundByKey = (cx: Context, e: AnyNode, of: Host, name: string, key: Term): Term | undefined => {
  const collection = of.value as Collection;
  if (key.is === 'one-of') {
    const asked = (one: unknown): unknown =>
      name === 'get' ? (collection as ReadonlyMap<unknown, unknown>).get(one) : collection.has(one);
    return calledOfOne(cx, e, key, `of ${of.name}`, asked, String(numberOf(cx.session, collection)));
  }
  if (key.is !== 'temp') return undefined;
  const [keys, values] = partsOf(cx, collection, () => {
    /* A key that a kernel finds is a number; `1n` is none, and another key than 1. */
    const entries = [...(collection as ReadonlyMap<unknown, unknown>).entries()].filter(([k]) => typeof k !== 'bigint');
    return [entries.map(([k]) => k), entries.map(([, v]) => v)];
  });
  const place = placeOf(cx, e, of, keys, key);
  return name === 'has' ? compute(cx, e, 'ge', place, literal(0)) : valueAt(cx, e, of, values, place);
};

/** What a record has by a number, as `damage[kind]` of `{ [Kind.Fire]: 5, [Kind.Ice]: 7 }`; undefined of one without numbers for names. */
export const itemByNumber = (cx: Context, e: AnyNode, of: Host, index: Scalar): Term | undefined => {
  const record = of.value as Readonly<Record<string, unknown>>;
  const [keys, values] = partsOf(cx, record, () => {
    const names = Object.keys(record).filter((name) => String(Number(name)) === name);
    return [names.map(Number), names.map((name) => record[name])];
  });
  return keys.length === 0 ? undefined : valueAt(cx, e, of, values, placeOf(cx, e, of, keys, index));
};

const placeOf = (cx: Context, e: AnyNode, of: Host, keys: readonly unknown[], key: Term): Scalar =>
  asScalar(cx, e, placeAmong(cx, e, fromHost(cx, e, `${of.name}.keys`, keys), key));

const valueAt = (cx: Context, e: AnyNode, of: Host, values: readonly unknown[], place: Scalar): Term =>
  promised(cx, itemIfThere(cx, e, fromHost(cx, e, `${of.name}.values`, values), place));

/* The same arrays each time, so that what is read twice is one table. */
const partsOf = (
  { session: { collections } }: Context,
  of: object,
  made: () => readonly (readonly unknown[])[],
): readonly (readonly unknown[])[] => {
  const known = collections.get(of) ?? made();
  collections.set(of, known);
  return known;
};
