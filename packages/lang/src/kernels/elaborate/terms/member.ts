import { rare } from '#rare';
import type { AnyNode } from 'acorn';
import { isInteger } from '@filigree/ir';
import { elementsNamed } from '../../vocabulary/algebra.js';
import type { Place } from '../../code/code.js';
import { literal, type Interval, type Scalar, type Temp } from '../../code/scalar.js';
import { load } from './access.js';
import {
  asScalar,
  axesOfField,
  compute,
  originOf,
  placedOf,
  refuse,
  wrongIndices,
  type Context,
} from '../context/context.js';
import { hold, holdPart } from './holds.js';
import { assignSlot, pending, readSlot } from './slots.js';
import {
  isLiteral,
  isScalar,
  nothing,
  shapeOfField,
  termText,
  unshaped,
  type Element,
  type Slot,
  type Term,
} from '../context/term.js';
import { elementOf, fromHost } from './host-value.js';

/** The value of what an element stands for; all other terms are values already. */
export const loaded = (cx: Context, node: AnyNode, term: Term): Term => {
  if (term.is === 'array-element') return load(cx, node, placeOfArray(term));
  if (term.is === 'element' && term.index.length > 0 && isWhole(cx, node, term)) {
    const elements = placesOf(cx, node, term).map((place) => load(cx, node, place));
    const read = unshaped(shapeOfField(term.field), elements);
    hold(cx, read, -1);
    return read;
  }
  return term;
};

/** Whether a field was given all its indices. */
export const isWhole = (cx: Context, node: AnyNode, term: Element): boolean =>
  term.index.length === axesOfField(cx, node, term.field);

/** How many indices there are along the next axis of a field. */
export const rowsOf = (cx: Context, node: AnyNode, of: Element): number => {
  const { name } = of.field;
  const end = endOf(cx, node, of);
  if (typeof end === 'number') return end;
  const list = end === 'list';
  return refuse(
    cx,
    node,
    'lang/unknown-member',
    list
      ? `how many elements lists of field '${name}' have is known only when the kernel runs`
      : `field '${name}' lies in a table, which has no end along its axes`,
    list ? `write length(${name}[…]), or loop over active(${name})` : `loop over active(${name})`,
  );
};

/** The same where it is known. */
export const endOf = (cx: Context, node: AnyNode, { field, index }: Element): number | 'list' | 'none' => {
  const { unbounded, extents, axes, path } = placedOf(cx, node, field);
  const axis = axes[index.length];
  const list = path.some((n) => {
    const { kind, axes } = cx.session.layout.nodes[n];
    return kind === 'dynamic' && axes.includes(axis);
  });
  return list ? 'list' : unbounded ? 'none' : extents[index.length];
};

/** The elements of the scalar fields that a field consists of. */
export const placesOf = (cx: Context, node: AnyNode, term: Element): readonly (Place & { of: 'field' })[] => {
  if (!isWhole(cx, node, term)) return wrongIndices(cx, node, term);
  const { field, index } = term;
  checkBounds(cx, node, term);
  return (field.is === 'scalar' ? [field] : field.components).map((f) => ({ of: 'field', field: f, index }));
};

export const placeOfArray = ({ array, index }: Term & { is: 'array-element' }): Place => ({
  of: 'buffer',
  buffer: array.buffer,
  type: array.type,
  index: [index],
  array: { length: array.length, maxLength: array.maxLength },
});

/** Indices that are known must be indices of the field. */
const checkBounds = (cx: Context, node: AnyNode, { field, index }: Element): void => {
  const { extents, unbounded } = placedOf(cx, node, field);
  if (unbounded) return;
  index.forEach((s, axis) => {
    if (
      isLiteral(s) &&
      typeof s.value === 'number' &&
      Number.isInteger(s.value) &&
      !(s.value >= 0 && s.value < extents[axis])
    )
      refuse(
        cx,
        node,
        'lang/index-range',
        `index ${s.value} is outside of field '${field.name}', which has ${extents[axis]} along this axis`,
        'use an index from 0 up to that',
      );
  });
};

/** `object.name`. */
export const named = (cx: Context, e: AnyNode, of: Term, name: string): Term => {
  switch (of.is) {
    case 'members': {
      const slot = of.members.get(name);
      return slot
        ? readSlot(cx, e, slot)
        : ((of.of && rare().ofClass(cx, e, of.of, of, name)) ?? missing(cx, e, of, name));
    }
    case 'host': {
      if (of.statics) return rare().staticMember(cx, e, of, name) ?? missing(cx, e, of, name);
      const holder = of.value as object;
      if (typeof holder === 'string' && name === 'length') return literal((holder as string).length);
      if (typeof holder === 'string' || holder === null || !(name in Object(holder))) return missing(cx, e, of, name);
      return fromHost(cx, e, `${of.name}.${name}`, (holder as Record<string, unknown>)[name]);
    }
    case 'one-of':
      return rare().memberOfOne(cx, e, of, name) ?? missing(cx, e, of, name);
    case 'mixed':
      return rare().memberOfMixed(cx, e, of, name, named) ?? missing(cx, e, of, name);
    case 'array':
      return name === 'length' ? of.length : missing(cx, e, of, name);
    case 'list':
      return name === 'length' ? literal(of.items.length) : missing(cx, e, of, name);
    case 'sieve':
      return name === 'length' ? of.length : missing(cx, e, of, name);
    case 'table':
      return name === 'length' ? literal(of.shape[of.index.length]) : missing(cx, e, of, name);
    case 'element':
    case 'shaped':
      return ofVector(cx, e, of, name);
    default:
      return missing(cx, e, of, name);
  }
};

/** `v.x`, `v.length`, `m.rows`. */
const ofVector = (cx: Context, e: AnyNode, of: Term, name: string): Term => {
  const shape = of.is === 'element' ? shapeOfField(of.field) : of.is === 'shaped' ? of.shape : [];
  const known = { length: shape[0], rows: shape.length === 2 ? shape[0] : undefined, columns: shape[1] }[name];
  if (of.is === 'element' && name === 'length' && !isWhole(cx, e, of)) return literal(rowsOf(cx, e, of));
  if (of.is === 'element' && (of.index.length === 0 || !isWhole(cx, e, of))) return missing(cx, e, of, name);
  if (known !== undefined) return literal(known);
  const places = shape.length === 1 ? elementsNamed(name, shape[0]) : [];
  if (places.length === 0) return missing(cx, e, of, name);
  const elements = places.map((at) => asScalar(cx, e, indexed(cx, e, of, literal(at))));
  return unshaped(elements.length === 1 ? [] : [elements.length], elements);
};

const missing = (cx: Context, e: AnyNode, of: Term, name: string): never => rare().refuseMember(cx, e, of, name);

/** `object[index]`. */
export const indexed = (cx: Context, e: AnyNode, of: Term, index: Scalar): Term => {
  switch (of.is) {
    case 'element':
      return of.index.length > 0 && isWhole(cx, e, of)
        ? component(cx, e, of, index)
        : { ...of, index: [...of.index, index] };
    case 'array':
      return { is: 'array-element', array: of, index };
    case 'table':
      return inTable(cx, e, of, index);
    case 'shaped':
      return ofShaped(cx, e, of, index);
    case 'sieve':
      return rare().itemAt(cx, e, of, index);
    case 'list': {
      const k = knownIndex(cx, e, index, of.items.length);
      if (k !== undefined) return readSlot(cx, e, of.items[k]);
      if (of.items.length === 0)
        return refuse(
          cx,
          e,
          'lang/index-range',
          'this array has no items',
          'give it some, new Array(n).fill(0), or ask whether there is one: a[k] ?? 0',
        );
      if (of.items.some((slot) => slot.is === 'constant' && isNamed(slot.term))) rare().countedOut(cx, e);
      const around = of.items[0].is === 'constant' ? rare().asAround(cx, e, of) : undefined;
      if (around) return indexed(cx, e, around, index);
      promiseWithin(cx, e, index, of.items.length);
      const chosen = (): Term =>
        choose(
          cx,
          e,
          index,
          of.items.map((slot: Slot) => loaded(cx, e, readSlot(cx, e, slot))),
        );
      const locals = cx.session.isMany(of.items.length) ? rare().manyNumbers(of.items) : undefined;
      if (!locals) return chosen();
      let value: Term = nothing;
      const body = cx.session.record(() => void (value = chosen()));
      rare().readOne(cx, e, locals, index, body, value);
      return value;
    }
    case 'host': {
      const { value: holder } = of;
      if (typeof holder === 'string') return rare().itemOfText(cx, e, of, index);
      if (typeof holder !== 'object' || holder === null) break;
      if (isLiteral(index))
        return fromHost(
          cx,
          e,
          `${of.name}[${String(index.value)}]`,
          (holder as Record<string, unknown>)[String(index.value)],
        );
      if (Array.isArray(holder) && holder.length > 0) return rare().itemOfHost(cx, e, of, index);
      const found = Array.isArray(holder) ? undefined : rare().itemByNumber(cx, e, of, index);
      if (found) return found;
      return refuse(
        cx,
        e,
        'lang/dynamic-index',
        `\`${of.name}\` is no array, so that its index must be known at compile time`,
        'loop with unrolled(range(n))',
      );
    }
    case 'one-of':
      return rare().itemOfOne(cx, e, of, index);
    case 'mixed': {
      const narrow = rare().narrowed(cx, e, of, 'array');
      if (narrow) return indexed(cx, e, narrow, index);
      break;
    }
    default:
  }
  return refuse(cx, e, 'lang/indices', `${termText(of)} has no elements`, 'leave the index out');
};

/** Whether it is a field, or an array that a launch gives: code names it, and chooses none when it runs. */
const isNamed = (term: Term): boolean => term.is === 'array' || (term.is === 'element' && term.index.length === 0);

/** A component of an element of a vector or matrix field: only what is needed is read. */
const component = (cx: Context, e: AnyNode, of: Element, index: Scalar): Term => {
  const shape = shapeOfField(of.field);
  if (shape.length === 0) return wrongIndices(cx, e, { ...of, index: [...of.index, index] });
  const places = placesOf(cx, e, of);
  const width = places.length / shape[0];
  const k = knownIndex(cx, e, index, shape[0]);
  if (k === undefined) return ofShaped(cx, e, loaded(cx, e, of) as Term & { is: 'shaped' }, index);
  const part = unshaped(
    shape.slice(1),
    places.slice(k * width, (k + 1) * width).map((place) => load(cx, e, place)),
  );
  hold(cx, part, -1);
  return part;
};

const ofShaped = (cx: Context, e: AnyNode, of: Term & { is: 'shaped' }, index: Scalar): Term => {
  const [n] = of.shape;
  const width = of.elements.length / n;
  const part = (k: number): Term => {
    const row = unshaped(of.shape.slice(1), of.elements.slice(k * width, (k + 1) * width));
    holdPart(cx, of, row);
    return row;
  };
  const k = knownIndex(cx, e, index, n);
  if (k !== undefined) return part(k);
  promiseWithin(cx, e, index, n);
  return choose(
    cx,
    e,
    index,
    Array.from({ length: n }, (_, at) => part(at)),
  );
};

/** An index that is known at compile time, checked; undefined for one that is not. */
export const knownIndex = (cx: Context, node: AnyNode, index: Scalar, length: number): number | undefined => {
  if (!isLiteral(index)) return undefined;
  const k = Number(index.value);
  return Number.isInteger(k) && k >= 0 && k < length
    ? k
    : refuse(
        cx,
        node,
        'lang/index-range',
        `there is no element ${String(index.value)} of ${length}`,
        'use an index from 0 up to that',
      );
};

/** Debug mode says so where an index is outside an array when the kernel runs. */
export const promiseWithin = (cx: Context, node: AnyNode, index: Scalar, length: number): void => {
  const to: Temp = { is: 'temp', type: 'i32' };
  const promise = { x: index, base: literal(0), lo: 0, hi: length, of: 'index' } as const;
  cx.session.emit(originOf(cx, node), { do: 'assume', to, ...promise });
};

/** The one of these terms that an index names, the last where it names none. */
const choose = (cx: Context, node: AnyNode, index: Scalar, terms: readonly Term[]): Term => {
  const at = originOf(cx, node);
  const parts = terms.map((t) => (isScalar(t) ? [t] : t.is === 'shaped' ? t.elements : []));
  if (parts.length > 0 && parts.every((p) => p.length === parts[0].length && p.length > 0)) {
    const elements = parts[0].map((_, c) =>
      parts
        .map((p) => p[c])
        .reduceRight((rest, one, k) =>
          cx.session.compute(at, 'select', compute(cx, node, 'eq', index, literal(k)), one, rest),
        ),
    );
    const chosen = unshaped(terms[0].is === 'shaped' ? terms[0].shape : [], elements);
    for (const term of terms) holdPart(cx, term, chosen);
    return chosen;
  }
  const slot = pending(cx, node, 'item');
  const choice = (k: number): void => {
    const take = (): void => assignSlot(cx, node, slot, terms[k]);
    if (k === terms.length - 1) return take();
    const then = cx.session.record(take);
    const condition = compute(cx, node, 'eq', index, literal(k));
    cx.session.emit(at, { do: 'if', condition, then, otherwise: cx.session.record(() => choice(k + 1)) });
  };
  choice(0);
  return readSlot(cx, node, slot);
};

/** An element of an array of the surroundings: folded, or read from a constant buffer at an index kept within it. */
const inTable = (cx: Context, e: AnyNode, of: Term & { is: 'table' }, s: Scalar): Term => {
  const axis = of.index.length;
  if (axis === of.shape.length)
    return refuse(cx, e, 'lang/indices', `\`${of.name}\` has ${axis} indices`, 'leave one out');
  if (knownIndex(cx, e, s, of.shape[axis]) === undefined) promiseWithin(cx, e, s, of.shape[axis]);
  const index = [...of.index, s];
  if (index.length < of.shape.length) return { ...of, index };
  if (index.every(isLiteral)) return elementOf(of, index);
  const { session } = cx;
  const flat = index.reduce<Scalar>((at, k, a) => {
    const within = compute(cx, e, 'max', literal(0), compute(cx, e, 'min', k, literal(of.shape[a] - 1)));
    return compute(cx, e, 'add', compute(cx, e, 'mul', at, literal(of.shape[a])), within);
  }, literal(0));
  const { buffer, type, wide } = session.table(of.name, of.values, of.element);
  if (wide === undefined) {
    const place = { of: 'buffer', buffer, type, index: [flat] } as const;
    return load(cx, e, place, isInteger(type) ? rangeOf(of.values) : undefined);
  }
  const to: Temp = { is: 'temp' };
  session.emit(originOf(cx, e), { do: 'load', to, place: { of: 'buffer', buffer, type, wide, index: [flat] } });
  return to;
};

/** What the numbers of an array of the surroundings lie in, where all are whole and of 32 bits. */
const rangeOf = (values: readonly (number | bigint)[]): Interval | undefined => {
  if (ranges.has(values)) return ranges.get(values);
  const isWord = values.every((x) => typeof x === 'number' && (x | 0) === x);
  const range = isWord ? (values as readonly number[]).reduce(within, [Infinity, -Infinity] as Interval) : undefined;
  ranges.set(values, range);
  return range;
};

const within = ([least, most]: Interval, x: number): Interval => [Math.min(least, x), Math.max(most, x)];

const ranges = new WeakMap<readonly (number | bigint)[], Interval | undefined>();
