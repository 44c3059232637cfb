import type { AnyNode } from 'acorn';
import { literal, type Scalar } from '../../code/scalar.js';
import { classIn } from '../calls/class-of.js';
import { refuse, type Context } from '../context/context.js';
import { listed } from '../terms/items.js';
import { absence, noteMissing, setThere } from '../terms/missing.js';
import { areUsable, numberAmong, oneOf, reachedFrom } from '../expressions/one-of.js';
import { propertiesOf } from './properties.js';
import { assignSlot, readSlot, setNamed } from '../terms/slots.js';
import {
  termText,
  type Element,
  type Host,
  type OneOf,
  type Pending,
  type Picked,
  type Shaped,
  type Slot,
  type Table,
  type Term,
} from '../context/term.js';

/*
 * Variables that hold objects, arrays and texts of the surroundings: `let best = spheres[0]; … best = spheres[k]`. Which they are given is
 * not known before all of the kernel was looked at: an attempt takes each for the first that it is given, and notes the others; the next one makes of
 * it the number of one of these.
 */

/** A place for such a value, and for others that the attempt before found to be put there. */
export const pickedLike = (cx: Context, slot: Pending, term: Host | OneOf | Element): Slot => {
  if (term.is === 'element') return rowsLike(cx, slot, term);
  const known = cx.session.known.picked.get(slot.site);
  /* Whether one without a value was given one on each way is known of what the kernel writes, and reads. */
  const own = term.is === 'one-of' ? term.values : slot.unset ? [term.value] : undefined;
  const values = known ?? own;
  const { name, site, loop, owner, missing } = slot;
  if (!values) {
    const made = { ...term };
    cx.session.sites.set(made, site);
    if (missing) cx.session.missing.set(made, missing);
    return { is: 'constant', term: made, what: 'constant' };
  }
  const local = cx.session.local(name, { name, type: 'i32', unnamed: true }, slot.unset);
  slot.locals.push(local);
  return {
    is: 'picked',
    name,
    site,
    values,
    at: { is: 'variable', name, shape: [], locals: [local], loop, owner, missing },
  };
};

/** A place for rows of a field, of as many indices as this one has. */
const rowsLike = (cx: Context, slot: Pending, row: Element): Picked => {
  const { name, site, loop, owner, missing } = slot;
  const cell = { name, type: 'i32', unnamed: true } as const;
  const locals = row.index.map(() => cx.session.local(name, cell, slot.unset));
  slot.locals.push(...locals);
  const shape = [locals.length];
  return {
    is: 'picked',
    name,
    site,
    values: [],
    row,
    at: { is: 'variable', name, shape, locals, loop, owner, missing },
  };
};

/** Which one the variable holds. */
export const readPicked = (cx: Context, node: AnyNode, slot: Picked, maybe: boolean): Term => {
  const { missing } = slot.at;
  if (slot.row) {
    const { elements } = readSlot(cx, node, { ...slot.at, missing: undefined }, undefined, maybe) as Shaped;
    const row = { ...slot.row, index: elements };
    if (maybe || !missing?.compared) noteMissing(cx, node, missing, row);
    return row;
  }
  const index = readSlot(cx, node, { ...slot.at, missing: undefined }, [0, slot.values.length - 1], maybe);
  const term = oneOf(cx, node, slot.name, slot.values, index as Scalar);
  if (maybe || !missing?.compared) noteMissing(cx, node, missing, term);
  return term;
};

/** Puts one there. */
export const givePicked = (cx: Context, node: AnyNode, slot: Picked, term: Term): void => {
  const { values, site, at } = slot;
  const nothing = absence(term);
  if (nothing && at.missing) return assignSlot(cx, node, at, term);
  if (slot.row) return giveRow(cx, node, slot, slot.row, term);
  if (!isAround(term)) return givenMade(cx, site, values, term) ? undefined : refuseOther(cx, node, slot, term);
  const index =
    term.is === 'one-of'
      ? numberAmong(cx, node, term, values, site)
      : values.includes(term.value)
        ? literal(values.indexOf(term.value))
        : undefined;
  if (index === undefined) return noteOthers(cx, node, site, term, values);
  assignSlot(cx, node, { ...at, missing: undefined }, index);
  setThere(cx, node, at.missing, term);
};

const giveRow = (cx: Context, node: AnyNode, { name, at }: Picked, row: Element, term: Term): void => {
  if (term.is !== 'element' || term.field !== row.field || term.index.length !== row.index.length)
    return refuse(
      cx,
      node,
      'lang/shape',
      `\`${name}\` holds rows of field '${row.field.name}', here it is given ${termText(term)}`,
      'use two variables; of several fields make the choice where it is used, c ? u[i][j] : v[i][j]',
    );
  const place: Term = { is: 'shaped', shape: [term.index.length], elements: term.index };
  assignSlot(cx, node, { ...at, missing: undefined }, place);
  setThere(cx, node, at.missing, term);
};

/** A few numbers of the surroundings as items, of which a variable may hold a copy that is only read; others are what they are. */
export const rowOf = (cx: Context, node: AnyNode, table: Table): Term => {
  if (table.shape.slice(table.index.length).reduce((n, k) => n * k, 1) > LONGEST_ROW) return table;
  const row = listed(cx, node, table);
  setNamed(cx, row);
  return row;
};

/** Notes that a place for one value is given another; whether it may be. */
export const givenOther = (cx: Context, node: AnyNode, to: Term, from: Term): boolean => {
  const site = cx.session.sites.get(to);
  if (site !== undefined && isAround(to) && givenMade(cx, site, valuesOf(to), from)) return true;
  if (site === undefined || !isAround(to) || !isAround(from) || !areUsable([...valuesOf(to), ...valuesOf(from)]))
    return false;
  noteOthers(cx, node, site, from, valuesOf(to));
  return true;
};

/** Notes that a place for an object of the surroundings is given one that the kernel makes; whether it may be. */
const givenMade = (cx: Context, site: string, values: readonly unknown[], term: Term): boolean => {
  if (term.is !== 'members' || !values.every(isObject) || cx.session.known.opened.has(site)) return false;
  cx.session.opens(site);
  return true;
};

/** An object of the surroundings by its members, as a kernel makes such; itself where it has what nobody else sees. */
export const openedObject = (cx: Context, node: AnyNode, term: Host | OneOf): Term => {
  const values = valuesOf(term);
  if (!values.every(isObject)) return term;
  const [{ constructor: made }] = values;
  if (values.some((value) => value.constructor !== made)) return term;
  const of = made === Object ? undefined : classIn(cx, node, { is: 'host', name: term.name, value: made });
  const isClosed = of?.node.body.body.some((m) => 'key' in m && m.key.type === 'PrivateIdentifier');
  if ((made !== Object && !of) || isClosed) return term;
  const members = new Map(
    propertiesOf(cx, node, term).map(([name, part]): [string, Slot] => [
      name,
      { is: 'constant', term: part, what: 'constant' },
    ]),
  );
  const opened: Term = { is: 'members', members, ...(of && { of }) };
  /* It has a name in the surroundings, and is only read there. */
  setNamed(cx, opened);
  return opened;
};

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const noteOthers = (cx: Context, node: AnyNode, site: string, term: Host | OneOf, known: readonly unknown[]): void => {
  const all = [...reachedFrom(cx.session, known, valuesOf(term), MOST)];
  if (!areUsable(all) || all.length > MOST)
    return refuse(
      cx,
      node,
      'lang/shape',
      `this is ${termText(term)}, elsewhere it is another, and they are not of one kind`,
      'give a variable objects, arrays or texts alone',
    );
  cx.session.picks(site, all);
};

const refuseOther = (cx: Context, node: AnyNode, { name }: Picked, term: Term): never =>
  refuse(
    cx,
    node,
    'lang/shape',
    `\`${name}\` holds objects or texts of the surroundings, here it is given ${termText(term)}`,
    'use two variables',
  );

const isAround = (term: Term): term is Host | OneOf => term.is === 'host' || term.is === 'one-of';

const valuesOf = (term: Host | OneOf): readonly unknown[] => (term.is === 'host' ? [term.value] : term.values);

const LONGEST_ROW = 16;

/** So many values are looked for one after the other. */
const MOST = 10_000;
