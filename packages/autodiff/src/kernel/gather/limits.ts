import type { Builder, Value } from '@filigree/ir';
import { formSum, type Form } from '../indices/integer-forms.js';

/** An integer that is known now, or where code runs. */
export type At = number | Value;

/** What bounds loops and keeps indices: values that are the same for all iterations of a nest, times numbers, and a number. */
export interface Limit {
  readonly terms: readonly (readonly [value: Value, times: number])[];
  readonly plus: number;
  /** The same as a sum of what the values are made of. */
  readonly form: Form;
}

/** Between which limits a loop counts: from the greatest of some on, and to below the least of others. */
export interface Between {
  readonly from: readonly Limit[];
  readonly to: readonly Limit[];
}

/** Finds a value of a nest before the nest, where it is the same for all iterations. */
export type Place = (v: Value) => Value;

/** Integers further than that from zero are the coordinates of no element that is gathered. */
export const FAR = 2 ** 29;

export const limitOfNumber = (plus: number): Limit => ({ terms: [], plus, form: { terms: new Map(), plus } });

export const limitOfValue = (value: Value, form: Form): Limit => ({ terms: [[value, 1]], plus: 0, form });

/** A limit, and a number more. */
export const further = ({ terms, plus, form }: Limit, by: number): Limit => ({
  terms,
  plus: plus + by,
  form: { terms: form.terms, plus: form.plus + by },
});

/** A limit, and another one so many times. */
export const limitSum = (a: Limit, b: Limit, times: number): Limit => ({
  terms: [...a.terms, ...b.terms.map(([v, n]) => [v, times * n] as const)],
  plus: a.plus + times * b.plus,
  form: formSum(a.form, b.form, times),
});

/** By how much a limit is more than another one, where that is a number. */
export const gap = (a: Limit, b: Limit): number | undefined => {
  const { terms, plus } = formSum(a.form, b.form, -1);
  return terms.size === 0 ? plus : undefined;
};

/** Limits with one more; of several that are one value and a number only the narrowest. */
export const narrowedBy = (limits: readonly Limit[], limit: Limit, side: keyof Between): readonly Limit[] => {
  const at = limits.findIndex(({ terms }) => areSame(terms, limit.terms));
  if (at < 0) return [...limits, limit];
  const isNarrower = side === 'from' ? limit.plus > limits[at].plus : limit.plus < limits[at].plus;
  return isNarrower ? limits.with(at, limit) : limits;
};

const areSame = (a: Limit['terms'], b: Limit['terms']): boolean =>
  a.length === b.length && a.every(([v, times], n) => b[n][0].id === v.id && b[n][1] === times);

/** The numbers that a loop counts between, where these are known. */
export const numbersOf = ({ from, to }: Between): readonly [from: number, to: number] | undefined =>
  [...from, ...to].every(({ terms }) => terms.length === 0)
    ? [Math.max(...from.map((l) => l.plus)), Math.min(...to.map((l) => l.plus))]
    : undefined;

/** Where a loop begins, as code. */
export const startOf = (b: Builder, { from }: Between, place: Place): At =>
  from.map((l) => limitAt(b, l, 'from', place)).reduce((x, y) => greatest(b, x, y));

/** Where a loop ends, as code. */
export const endOf = (b: Builder, { to }: Between, place: Place): At =>
  to.map((l) => limitAt(b, l, 'to', place)).reduce((x, y) => least(b, x, y));

/** A limit as code. One value and a number never go round; where sums of several might, nothing is left between such limits. */
const limitAt = (b: Builder, { terms, plus }: Limit, side: keyof Between, place: Place): At => {
  if (terms.length === 0) return plus;
  const [[value, once]] = terms;
  if (terms.length === 1 && once === 1) {
    const v = place(value);
    if (plus === 0) return v;
    return b.add(plus > 0 ? b.min(v, b.i32(MOST - plus)) : b.max(v, b.i32(LEAST - plus)), b.i32(plus));
  }
  const values = terms.map(([v, times]) => [place(v), times] as const);
  const sum = values.map(([v, times]) => timesNumber(b, v, times)).reduce(b.add);
  const room = Math.floor(FAR / values.reduce((n, [, times]) => n + Math.abs(times), 0));
  const isNear = values.map(([v]) => isWithin(b, v, room)).reduce(b.and);
  return b.select(isNear, b.add(sum, b.i32(plus)), b.i32(side === 'from' ? MOST : LEAST));
};

/** Whether a value is no further from zero than a number. */
export const isWithin = (b: Builder, v: Value, room: number): Value =>
  b.and(b.cmp('ge', v, b.i32(-room)), b.cmp('le', v, b.i32(room)));

export const timesNumber = (b: Builder, v: Value, times: number): Value =>
  times === 1 ? v : times === -1 ? b.neg(v) : b.mul(v, b.i32(times));

const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];

export const asValue = (b: Builder, at: At): Value => (typeof at === 'number' ? b.i32(at) : at);

export const least = (b: Builder, x: At, y: At): At =>
  typeof x === 'number' && typeof y === 'number' ? Math.min(x, y) : b.min(asValue(b, x), asValue(b, y));

export const greatest = (b: Builder, x: At, y: At): At =>
  typeof x === 'number' && typeof y === 'number' ? Math.max(x, y) : b.max(asValue(b, x), asValue(b, y));

export const sumAt = (b: Builder, x: At, y: At): At =>
  typeof x === 'number' && typeof y === 'number'
    ? x + y
    : y === 0
      ? x
      : x === 0
        ? y
        : b.add(asValue(b, x), asValue(b, y));

/** An integer, or the number no further from zero than `room` that is next to it. */
export const clipped = (b: Builder, x: At, room: number): At =>
  typeof x === 'number' ? x : least(b, greatest(b, x, -room), room);
