import { rare } from '#rare';
import {
  isInteger,
  isSigned,
  type Op,
  type ScalarType,
  type Value,
  alignOf,
  fitsType,
  isSingleRange,
  type IntegerRange,
  compareRanges,
  shiftBy,
} from '@filigree/ir';
import type { RangeContext } from './context.js';
import { factorOf, splitSum, termsOf, type Term } from './sum.js';

/** A simpler value for the result of an op, given what is known about integers; undefined if there is none. */
export const foldByRange = (op: Op, c: RangeContext): Value | undefined => {
  const result = op.results[0]!;
  if (op.name === 'arith.constant' || typeof result.type !== 'string') return undefined;
  const whole = WHOLE.has(op.name) && op.operands[0]!.type === 'f64' ? rare().foldWholeQuotient(op, c) : undefined;
  if (whole || !op.name.startsWith('arith.')) return whole;
  const rule = rules[op.name];
  if (op.name === 'arith.cmp') return rule!(op, c);
  if (!isInteger(result.type)) return undefined;
  const range = op.operands.every((v) => c.range(v)) ? c.range(result) : undefined;
  if (range && isSingleRange(range)) return c.constant(range.lo, result.type);
  return rule?.(op, c);
};

/** What may be left of a quotient of integers in floats. */
const WHOLE: ReadonlySet<string> = new Set(['math.floor', 'math.trunc', 'arith.rem', 'arith.cast']);

type Rule = (op: Op, c: RangeContext) => Value | undefined;

const operandRanges = (op: Op, c: RangeContext): readonly [Value, Value, IntegerRange, IntegerRange] | undefined => {
  const [a, b] = [op.operands[0]!, op.operands[1]!];
  const [x, y] = [c.range(a), c.range(b)];
  return x && y ? [a, b, x, y] : undefined;
};

const extremum =
  (first: (x: IntegerRange, y: IntegerRange) => boolean): Rule =>
  (op, c) => {
    const known = operandRanges(op, c);
    if (!known) return undefined;
    const [a, b, x, y] = known;
    return first(x, y) ? a : first(y, x) ? b : undefined;
  };

/** A divisor, mask or shift as a number, and the dividend. */
const byConstant = (op: Op, c: RangeContext): readonly [a: Value, x: IntegerRange, by: number] | undefined => {
  const known = operandRanges(op, c);
  return known && isSingleRange(known[3]) ? [known[0], known[2], known[3].lo] : undefined;
};

const powerOf = (n: number): number | undefined => (n > 0 && alignOf(n) === n ? Math.round(Math.log2(n)) : undefined);

const divide: Rule = (op, c) => {
  const [a, x, by] = byConstant(op, c) ?? [];
  if (!a || !x || !by || by < 2) return undefined;
  if (x.lo >= 0 || x.align % by === 0) {
    const split = quotient(a, by, c);
    if (split) return split;
  }
  const shift = powerOf(by);
  return shift !== undefined && x.lo >= 0 && isSigned(a.type)
    ? c.build('arith.shr', [a, c.constant(shift, a.type)], a.type)
    : undefined;
};

const shiftRight: Rule = (op, c) => {
  const known = operandRanges(op, c);
  const by = known && shiftBy(op, known[3]);
  return known && by !== undefined && by > 1 && by < 2 ** 31 ? quotient(known[0], by, c) : undefined;
};

/** `⌊a ÷ by⌋` where the parts of `a` that are multiples can be divided one by one, and the rest is less than `by`. */
const quotient = (a: Value, by: number, c: RangeContext): Value | undefined => {
  const terms = termsOf(a, c);
  const split = splitSum(terms, by, c);
  if (!split) return undefined;
  const free = split.multiples.map((t) => dividedBy(t, by, c));
  const left = free.filter((f) => f === undefined).length;
  /* A part that takes an op of its own is worth it where another part goes. */
  if (left > 1 || (left === 1 && split.rest.length === 0)) return undefined;
  const shift = powerOf(by);
  if (left === 1 && shift === undefined) return undefined;
  const parts = split.multiples.map((t, k): Term => {
    const f = free[k];
    return f === undefined ? c.build('arith.shr', [t as Value, c.constant(shift!, a.type)], a.type) : f();
  });
  return sumOf(parts, a.type as ScalarType, c);
};

/** A multiple of `by`, divided by it, where that takes no op more than the multiple took. */
const dividedBy = (t: Term, by: number, c: RangeContext): (() => Term) | undefined => {
  if (typeof t === 'number') return () => t / by;
  const factor = factorOf(t, c);
  if (factor === undefined || factor % by !== 0) return undefined;
  const [base] = c.def(t)!.operands as [Value];
  return () => (factor === by ? base : c.build('arith.mul', [base, c.constant(factor / by, t.type)], t.type));
};

const sumOf = (terms: readonly Term[], type: ScalarType, c: RangeContext): Value => {
  const values = terms.filter((t): t is Value => typeof t !== 'number');
  const offset = terms.reduce<number>((sum, t) => (typeof t === 'number' ? sum + t : sum), 0);
  if (values.length === 0) return c.constant(offset, type);
  const sum = values.reduce((x, y) => c.build('arith.add', [x, y], type));
  return offset === 0 ? sum : c.build('arith.add', [sum, c.constant(offset, type)], type);
};

const remainder: Rule = (op, c) => {
  const [a, x, by] = byConstant(op, c) ?? [];
  if (!a || !x || !by || by < 2 || x.lo < 0) return undefined;
  if (x.hi < by) return a;
  const positive = positiveRest(a, by, c);
  if (positive) return positive;
  const split = splitSum(termsOf(a, c), by, c);
  if (split && split.multiples.length > 0) return sumOf(split.rest, a.type as ScalarType, c);
  const shift = powerOf(by);
  if (shift === undefined) return x.hi < 2 * by ? once(a, by, c) : undefined;
  return isSigned(a.type) ? c.build('arith.and', [a, c.constant(by - 1, a.type)], a.type) : undefined;
};

/** `a % n` of what goes round once at most, as of `(i + 1) % n`: a comparison instead of a division. */
const once = (a: Value, by: number, c: RangeContext): Value => {
  const n = c.constant(by, a.type);
  const below = c.build('arith.cmp', [a, n], 'i1', { predicate: 'lt' });
  return c.build('arith.select', [below, a, c.build('arith.sub', [a, n], a.type)], a.type);
};

/** `(r + n) % n` of a remainder r by n, as of `((x % n) + n) % n`: a comparison instead of a second division. */
const positiveRest = (a: Value, by: number, c: RangeContext): Value | undefined => {
  const sum = c.def(a);
  if (sum?.name !== 'arith.add') return undefined;
  const [u, v] = sum.operands as [Value, Value];
  const isBy = (w: Value): boolean => {
    const range = c.range(w);
    return range !== undefined && isSingleRange(range) && range.lo === by;
  };
  const rest = isBy(v) ? u : isBy(u) ? v : undefined;
  const range = rest && c.range(rest);
  if (!range || range.lo <= -by || range.lo >= 0 || range.hi >= by) return undefined;
  const below = c.build('arith.cmp', [rest, c.constant(0, rest.type)], 'i1', { predicate: 'lt' });
  return c.build('arith.select', [below, a, rest], a.type);
};

const and: Rule = (op, c) => {
  const known = operandRanges(op, c);
  if (!known) return undefined;
  const [a, b, x, y] = known;
  const masked = (v: Value, r: IntegerRange, mask: number): Value | undefined => {
    const unit = mask + 1;
    /* All bits that may be set, from the lowest to the highest. */
    const covers =
      powerOf(unit) !== undefined ? r.hi < unit : powerOf(mask + r.align) !== undefined && r.hi < mask + r.align;
    if (mask >= 0 && r.lo >= 0 && covers) return v;
    if (mask < 0 && mask === -alignOfMask(mask) && r.align % -mask === 0) return v;
    if (powerOf(unit) === undefined || unit < 2) return undefined;
    const split = splitSum(termsOf(v, c, true), unit, c);
    return split && split.multiples.length > 0 ? sumOf(split.rest, v.type as ScalarType, c) : undefined;
  };
  return (isSingleRange(y) ? masked(a, x, y.lo) : undefined) ?? (isSingleRange(x) ? masked(b, y, x.lo) : undefined);
};

const alignOfMask = (mask: number): number => {
  let unit = 1;
  while (mask % (2 * unit) === 0) unit *= 2;
  return unit;
};

/** A float, or a number in place of NaN. */
const numberOr = (x: Value, otherwise: number, c: RangeContext): Value => {
  const isNumber = c.build('arith.cmp', [x, x], 'i1', { predicate: 'eq' });
  return c.build('arith.select', [isNumber, x, c.constant(otherwise, x.type)], x.type);
};

const rules: Readonly<Record<string, Rule>> = {
  'arith.min': extremum((x, y) => x.hi <= y.lo),
  'arith.max': extremum((x, y) => x.lo >= y.hi),
  'arith.div': divide,
  'arith.rem': remainder,
  'arith.shr': shiftRight,
  'arith.and': and,
  'arith.select': (op, c) => {
    const [condition, ...sides] = op.operands;
    const known = c.range(condition!);
    return known && isSingleRange(known) ? sides[known.lo === 0 ? 1 : 0] : undefined;
  },
  'arith.cast': (op, c) => {
    const [x] = op.operands as [Value];
    const range = op.attrs['fits'] === true ? undefined : c.real(x);
    if (!range || !fitsType(op.results[0]!.type as ScalarType, Math.trunc(range.lo), Math.trunc(range.hi)))
      return undefined;
    return c.build('arith.cast', [range.nan ? numberOr(x, 0, c) : x], op.results[0]!.type, { ...op.attrs, fits: true });
  },
  'arith.cmp': (op, c) => {
    if (op.operands.every((v) => c.real(v))) {
      const range = c.range(op.results[0]!);
      return range && isSingleRange(range) ? c.constant(range.lo, 'i1') : undefined;
    }
    const known = operandRanges(op, c);
    const truth = known && compareRanges(String(op.attrs['predicate']), known[2], known[3]);
    return truth === undefined ? undefined : c.constant(truth ? 1 : 0, 'i1');
  },
};
