import {
  byteSize,
  definitions,
  isInteger,
  isSigned,
  scalarOf,
  walk,
  type Kernel,
  type Op,
  type Type,
  type Value,
} from '@filigree/ir';
import { askingCounters } from './asking-counters.js';
import { nodeOf, type Layout } from '@filigree/sparse/fields';

/** Values times numbers, by id, and a number. */
export interface Form {
  readonly terms: ReadonlyMap<number, number>;
  readonly plus: number;
}

/** The integers of a kernel as sums. */
export interface IntegerForms {
  readonly formOf: (v: Value) => Form;
  /** What a sum lies between, as `liesIn` says of a value. */
  readonly spanOf: (form: Form) => Bounds;
  /** What a value lies between, as far as loops over numbers tell, if its sums do not wrap around. */
  readonly liesIn: (v: Value) => Bounds;
  /** What a coordinate lies between, where that is certainly from 0 to below an extent, as far as loops over numbers tell; any integer of 32 bits where the extent is `Infinity`. */
  readonly within: (v: Value, extent: number) => Bounds | undefined;
  /** The op that a value is the result of. */
  readonly madeBy: (v: Value) => Op | undefined;
  /** Whether a value follows from arguments alone, and so is the same for all iterations. */
  readonly isFixed: (id: number) => boolean;
}

export type Bounds = readonly [least: number, most: number];

/** Reads the integers of a kernel; with a layout also what loops over active elements go over. */
export const integerForms = ({ params, body }: Kernel, layout?: Layout): IntegerForms => {
  const fixed = new Set(params.map((p) => p.id));
  const forms = new Map<number, Form>();
  const formOf = (v: Value): Form => forms.get(v.id) ?? single(v.id);
  /** What values lie between that are no sums of others: sums of such as are there before them, the later ones last. */
  const limits = new Map<number, Limits>();
  /** The least or the most that a sum can be. What is limited by others is replaced by these first: in a triangle, `i - j` is never below zero. */
  const extreme = (form: Form, sign: 1 | -1): number => {
    let now = form;
    for (;;) {
      const limited = [...now.terms].flatMap(([id, times]) => {
        const found = limits.get(id);
        return found ? [{ id, times, ...found }] : [];
      });
      if (limited.length === 0) return now.terms.size > 0 ? sign * Infinity : now.plus;
      const { id, times, least, most } = limited.reduce((x, y) => (x.order > y.order ? x : y));
      now = formSum(formSum(now, single(id), -times), times * sign > 0 ? most : least, times);
    }
  };
  const limit = (v: Value, least: Form, most: Form): void => void limits.set(v.id, { least, most, order: limits.size });
  const boundsOf = (form: Form): Bounds => [extreme(form, -1), extreme(form, 1)];
  /** A limit as a sum, where none of the sums that it may be wraps around. */
  const asLimit = (form: Form, sign: 1 | -1): Form => (isSmall(boundsOf(form)) ? form : number(extreme(form, sign)));
  const made = definitions(body);
  const madeBy = (v: Value): Op | undefined => made.get(v.id);
  const numberOf = (v: Value): number | undefined => {
    const value = madeBy(v)?.attrs.value;
    if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
    const { terms, plus } = formOf(v);
    return terms.size === 0 ? plus : undefined;
  };
  walk(body, (op) => {
    for (const { values, least, most } of askingCounters(op, madeBy, numberOf, (v) => boundsOf(formOf(v))))
      for (const v of values) limit(v, number(least), number(most));
    if (op.name.startsWith('arith.') && op.operands.every((v) => fixed.has(v.id)))
      for (const r of op.results) fixed.add(r.id);
    if (op.name === 'scf.for') {
      const [lower, upper, step] = op.operands.map(formOf);
      const most = formSum(upper, number(1), -1);
      if (extreme(step, -1) > 0) limit(op.regions[0].params[0], asLimit(lower, -1), asLimit(most, 1));
    }
    if (op.name === 'field.for')
      op.regions[0].params.forEach((p, n) =>
        limit(p, number(0), number((extentsOver(op, layout)?.[n] ?? Infinity) - 1)),
      );
    const [result] = op.results;
    if (!op.name.startsWith('arith.') || !isInteger(result.type)) return;
    const { value } = op.attrs;
    if (typeof value === 'number' || typeof value === 'bigint') forms.set(result.id, number(Number(value)));
    const [a, b] = op.operands.map(formOf);
    /* Below zero there are other numbers where there is no sign. */
    const note = (form: Form): void => {
      if (isSigned(result.type) || extreme(form, -1) >= 0) forms.set(result.id, form);
    };
    if (op.name === 'arith.cast' && isInteger(op.operands[0].type) && hasRoom(result.type) && isSmall(boundsOf(a)))
      note(a);
    if (op.name === 'arith.add') note(formSum(a, b, 1));
    if (op.name === 'arith.sub') note(formSum(a, b, -1));
    if (op.name === 'arith.mul' && (a.terms.size === 0 || b.terms.size === 0))
      note(a.terms.size === 0 ? formSum(number(0), b, a.plus) : formSum(number(0), a, b.plus));
    if (op.name === 'arith.min' || op.name === 'arith.max') {
      const [x, y] = [boundsOf(a), boundsOf(b)];
      const choose = op.name === 'arith.min' ? Math.min : Math.max;
      limit(result, number(choose(x[0], y[0])), number(choose(x[1], y[1])));
    }
    if ((op.name !== 'arith.div' && op.name !== 'arith.rem') || b.terms.size > 0 || b.plus <= 0) return;
    const [lo, hi] = boundsOf(a);
    const [least, most] = op.name === 'arith.rem' ? [0, Math.min(hi, b.plus - 1)] : [lo / b.plus, hi / b.plus];
    if (lo >= 0 && (hi === Infinity || isSmall([lo, hi])))
      limit(result, number(Math.floor(least)), number(Math.floor(most)));
    /* Whatever is divided, also a sum that has gone round. */
    else if (op.name === 'arith.rem' && b.plus < 2 ** 31)
      limit(result, number(isSigned(result.type) ? 1 - b.plus : 0), number(b.plus - 1));
  });
  const liesIn = (v: Value): Bounds => boundsOf(formOf(v));
  const within = (v: Value, extent: number): Bounds | undefined => {
    const found = liesIn(v);
    const isInside = extent === Infinity ? isSmall(found) : found[0] >= 0 && found[1] < extent;
    return isInside ? found : undefined;
  };
  return {
    formOf,
    spanOf: boundsOf,
    liesIn,
    within,
    madeBy,
    isFixed: (id) => fixed.has(id),
  };
};

/** The extents of what a loop over active elements goes over; nothing where there is no end. */
const extentsOver = (op: Op, layout: Layout | undefined): readonly number[] | undefined => {
  const node = layout && nodeOf(layout, op);
  const placed = node && [...layout.fields.values()].find(({ path }) => path[path.length - 2] === node.id);
  return placed && !placed.unbounded ? placed.extents : undefined;
};

/** Sums that a value is between, and whether it is there later than others that have some. */
interface Limits {
  readonly least: Form;
  readonly most: Form;
  readonly order: number;
}

/** Whether an integer of any type has room for all of these numbers. */
export const isSmall = ([least, most]: Bounds): boolean => least >= -(2 ** 31) && most < 2 ** 31;

/** Whether a type has all integers of 32 bits, or all of those that are not negative. */
const hasRoom = (t: Type): boolean => byteSize(scalarOf(t)) >= 4;

/** A value as a sum. */
export const single = (id: number): Form => ({ terms: new Map([[id, 1]]), plus: 0 });

const number = (plus: number): Form => ({ terms: new Map(), plus });

/** A form, and another one so many times. */
export const formSum = (a: Form, b: Form, times: number): Form => {
  const terms = new Map(a.terms);
  for (const [id, n] of b.terms) terms.set(id, (terms.get(id) ?? 0) + times * n);
  return { terms: new Map([...terms].filter(([, n]) => n !== 0)), plus: a.plus + times * b.plus };
};
