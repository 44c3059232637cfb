import { symbolicMath as m } from '@filigree/ir';
import { isUnary, type Arithmetics, type Comparison, type OpName } from './traced-programs.js';

/** Plain numbers of f64, operation by operation as JavaScript has them. */
export const plain64: Arithmetics<number> = {
  number: (value) => value,
  apply: (name, a, b) => evaluate(name, a, b),
  select: (name, a, b, x, y) => (m[name](a, b) ? x : y),
};

/** Plain numbers of f32: every operation rounded. */
export const plain32: Arithmetics<number> = {
  number: Math.fround,
  apply: (name, a, b) => Math.fround(evaluate(name, a, b)),
  select: plain64.select,
};

const evaluate = (name: OpName, a: number, b: number): number =>
  isUnary(name) ? (m[name as 'neg'](a) as number) : (m[name as 'add'](a, b) as number);

/**
 * A value of plain evaluation, and how far from it another evaluation may be that rounds otherwise and adds in another
 * order. `known` false: that may be any number, since a value came near overflow or underflow, or a comparison, a root or a
 * divisor turns on rounding.
 */
export interface Bounded {
  readonly value: number;
  readonly error: number;
  readonly known: boolean;
  /** As a sum: how many terms, their sizes together, and their errors. */
  readonly terms: number;
  readonly size: number;
  readonly termError: number;
}

export interface Precision {
  readonly round: (x: number) => number;
  /** Unit roundoff. */
  readonly unit: number;
  /** Beyond these a value is near overflow or underflow. */
  readonly largest: number;
  readonly least: number;
}

/* A factor of 2^10 leaves room for the 600 terms at most that a test's sum has. */
export const F64: Precision = { round: (x) => x, unit: 2 ** -53, largest: 2 ** 1013, least: 2 ** -1011 };
export const F32: Precision = { round: Math.fround, unit: 2 ** -24, largest: 2 ** 117, least: 2 ** -115 };

/** Plain numbers with bounds. */
export const bounded = (p: Precision): Arithmetics<Bounded> => {
  const leaf = (value: number, error: number, known: boolean): Bounded => ({
    value,
    error,
    known: known && !Number.isNaN(error),
    terms: 1,
    size: Math.abs(value),
    termError: error,
  });
  const far = (x: number): boolean =>
    x === 0 || !Number.isFinite(x) || (Math.abs(x) <= p.largest && Math.abs(x) >= p.least);
  const unknown = (value: number): Bounded => leaf(value, 0, false);
  const number = (value: number): Bounded => leaf(p.round(value), 0, far(p.round(value)));

  const add = (a: Bounded, b: Bounded, value: number): Bounded => {
    const terms = a.terms + b.terms;
    const size = a.size + b.size;
    const termError = a.termError + b.termError;
    /* Infinite and NaN terms make the same of a sum in any order. */
    if (!Number.isFinite(size))
      return { ...leaf(value, 0, a.known && b.known && !Number.isFinite(value)), terms, size, termError };
    const exact = size === 0 || terms === 1;
    return {
      value,
      error: termError + (exact ? 0 : 2 * terms * p.unit * size * 1.01),
      known: a.known && b.known && size <= p.largest,
      terms,
      size,
      termError,
    };
  };
  const apart = (a: Bounded, b: Bounded): boolean => Math.abs(a.value - b.value) > a.error + b.error;
  const compare = (name: Comparison, a: Bounded, b: Bounded): boolean | undefined => {
    const certain =
      (a.error === 0 && b.error === 0) ||
      Number.isNaN(a.value) ||
      Number.isNaN(b.value) ||
      a.value - b.value === Infinity ||
      apart(a, b);
    return certain && a.known && b.known ? (m[name](a.value, b.value) as boolean) : undefined;
  };
  /* Whether a function that jumps at these numbers has one value over all that a value may be. */
  const steady = (a: Bounded, f: (x: number) => number): boolean =>
    a.error === 0 || Object.is(f(a.value - a.error), f(a.value + a.error));

  const apply = (name: OpName, a: Bounded, b: Bounded): Bounded => {
    const value = p.round(evaluate(name, a.value, b.value));
    if (!a.known || (!isUnary(name) && !b.known)) return unknown(value);
    if (name === 'neg') return { ...a, value: -a.value };
    if (name === 'abs') return leaf(value, a.error, true);
    if (name === 'add') return add(a, b, value);
    if (name === 'sub') return add(a, { ...b, value: -b.value }, value);
    if (name === 'floor' || name === 'ceil' || name === 'round' || name === 'trunc' || name === 'sign') {
      /* −0 and 0 are told apart, so that rounding to 0 from one side or the other is. */
      return leaf(
        value,
        0,
        steady(a, (x) => evaluate(name, x, 0)),
      );
    }
    if (name === 'min' || name === 'max') {
      const certain = a.error === 0 && b.error === 0;
      return leaf(value, Math.max(a.error, b.error), certain || value !== 0);
    }
    if (!Number.isFinite(a.value) || (!isUnary(name) && !Number.isFinite(b.value))) {
      /* An infinity or NaN makes another, or 0, if the other operand is sure of its sign and of being 0 or not. */
      const sure = isUnary(name) || [a, b].every((x) => x.error === 0 || Math.abs(x.value) > x.error);
      return leaf(value, 0, sure);
    }
    if (name === 'sqrt') {
      if (a.error === 0) return leaf(value, 4 * p.unit * Math.abs(value) || 0, true);
      if (a.value + a.error < 0) return leaf(NaN, 0, true);
      if (a.value - a.error <= 0) return unknown(value);
      return leaf(value, value - Math.sqrt(a.value - a.error) + 4 * p.unit * value, true);
    }
    const [x, y] = [Math.abs(a.value), Math.abs(b.value)];
    if (name === 'mul') {
      const error = x * b.error + y * a.error + a.error * b.error;
      /* A factor that is 0 for sure. */
      if ((a.value === 0 && a.error === 0) || (b.value === 0 && b.error === 0))
        return leaf(
          value,
          0,
          [a, b].every((f) => f.error === 0 || Math.abs(f.value) > f.error),
        );
      return leaf(value, error + 4 * p.unit * x * y, far(value) && value !== 0 ? true : error > 0 && x * y === 0);
    }
    if (name === 'div') {
      if (b.value === 0 && b.error === 0) return leaf(value, 0, a.error === 0 || x > a.error);
      if (b.error >= y || !far(b.value)) return unknown(value);
      if (a.value === 0 && a.error === 0) return leaf(value, 0, true);
      const q = x / y;
      const error = (a.error + q * b.error) / (y - b.error);
      return leaf(value, error + 6 * p.unit * q, value === 0 ? q === 0 : far(value));
    }
    /* Remainders and functions whose last digit is the target's: of exact operands only. */
    if (a.error !== 0 || (!isUnary(name) && b.error !== 0)) return unknown(value);
    return leaf(
      value,
      name === 'rem' ? 0 : 8 * p.unit * Math.abs(value) || 0,
      far(value) && (name === 'rem' || value !== 0),
    );
  };
  return {
    number,
    apply,
    select: (name, a, b, x, y) => {
      const holds = compare(name, a, b);
      const chosen = m[name](a.value, b.value) ? x : y;
      return holds === undefined
        ? unknown(chosen.value)
        : { ...chosen, terms: 1, size: Math.abs(chosen.value), termError: chosen.error };
    },
  };
};
