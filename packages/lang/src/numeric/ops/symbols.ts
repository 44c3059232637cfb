import { describe } from './describe.js';
import type { NumericOps } from './numeric-ops.js';
import { failAt, placed, type Site, type Source } from '../../source/place.js';

export type Value = unknown;
/** A bound operation of one operand; the place comes last. */
export type Fn1 = (a: Value, site: Site) => Value;
/** A bound operation of two operands. */
export type Fn2 = (a: Value, b: Value, site: Site) => Value;

/** What is asked about symbols everywhere, for one meaning of operators and one source text. */
export type Symbols = ReturnType<typeof symbolsOf>;

export const symbolsOf = (ops: NumericOps, source: Source) => {
  const isSymbolic = (x: unknown): boolean => typeof x === 'object' && x !== null && ops.isSymbolic(x);

  const at = <T>(site: Site, f: () => T): T => {
    try {
      return f();
    } catch (e) {
      throw placed(source, site, e);
    }
  };

  /**
   * Refuses, in its own words and at this place, an object that stands for a number and must not be computed with, as the index of an element: it says so where it is made a
   * number. JavaScript would take it for true, and for equal to no number.
   */
  const requireNumber = (x: unknown, site: Site): void => {
    if (typeof x !== 'object' || x === null || isSymbolic(x)) return;
    const { [Symbol.toPrimitive]: toPrimitive } = x as { [Symbol.toPrimitive]?: unknown };
    if (typeof toPrimitive === 'function') at(site, () => void Reflect.apply(toPrimitive, x, ['number']));
  };

  const nonNumeric = (what: string, culprit: unknown, site: Site): never => {
    requireNumber(culprit, site);
    return failAt(
      source,
      site,
      'lang/non-numeric',
      `${what} is applied to ${isSymbolic(culprit) ? 'a symbolic value' : describe(culprit)}`,
      culprit === undefined
        ? 'numeric code takes numbers: look for an array element or argument that was never set, or an index out of range'
        : 'numeric code takes numbers: convert the value first, or index the element that is meant',
    );
  };

  const isPredicate = (x: unknown): boolean => ops.isPredicate?.(x) ?? false;
  /** Whether a value is a condition: plain true or false, or the symbol of one. */
  const isTruth = (x: unknown): boolean => typeof x === 'boolean' || (isSymbolic(x) && isPredicate(x));
  /** A symbol as a truth value. A number is true when it is neither 0 nor NaN, hence two comparisons. */
  const truthOf = (x: unknown): Value => (isPredicate(x) ? x : ops.or(ops.lt(x, 0), ops.gt(x, 0)));

  return { ops, source, isSymbolic, isPredicate, isTruth, truthOf, at, requireNumber, nonNumeric };
};

/** A value on which plain operators are defined as arithmetic or text. */
export const isPrimitive = (x: unknown): boolean =>
  typeof x === 'number' || typeof x === 'boolean' || typeof x === 'bigint' || typeof x === 'string';
