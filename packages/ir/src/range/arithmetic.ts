import type { Op } from '../kernel/op.js';
import { byteSize, scalarOf, type ScalarType } from '../kernel/type.js';
import {
  alignOf,
  rangeBetween,
  rangeOfValue,
  fitsType,
  fullRange,
  isSingleRange,
  joinRanges,
  rangeWrapped,
  type IntegerRange,
} from './range.js';

/** What a sum, difference, product or shift gives before it wraps; nothing for other ops. */
export const beforeWrap = (
  op: Op,
  [a, b]: readonly (IntegerRange | undefined)[],
): readonly [lo: number, hi: number] | undefined => {
  if (!a) return undefined;
  if (op.name === 'arith.neg') return [0 - a.hi, 0 - a.lo];
  if (!b) return undefined;
  if (op.name === 'arith.add') return [a.lo + b.lo, a.hi + b.hi];
  if (op.name === 'arith.sub') return [a.lo - b.hi, a.hi - b.lo];
  if (op.name === 'arith.mul') return product(a, b);
  const by = op.name === 'arith.shl' ? shiftBy(op, b) : undefined;
  return by === undefined ? undefined : product(a, rangeOfValue(by));
};

/** The power of two that a shift by a known amount multiplies or divides by; nothing where the amount counts modulo the width. */
export const shiftBy = (op: Op, amount: IntegerRange): number | undefined =>
  isSingleRange(amount) && amount.lo >= 0 && amount.lo < Math.min(32, 8 * byteSize(scalarOf(op.operands[0]!.type)))
    ? 2 ** amount.lo
    : undefined;

const product = (a: IntegerRange, b: IntegerRange): readonly [number, number] => {
  const corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
  return [Math.min(...corners) + 0, Math.max(...corners) + 0];
};

type Rule = (op: Op, operands: readonly (IntegerRange | undefined)[], type: ScalarType) => IntegerRange;

/** A sum or product, whose low zero bits survive when it wraps. */
const wrapping =
  (align: (a: IntegerRange, b: IntegerRange, op: Op) => number): Rule =>
  (op, operands, type) => {
    const [lo, hi] = beforeWrap(op, operands) ?? [-Infinity, Infinity];
    return rangeWrapped(type, lo, hi, align(operands[0]!, operands[1] ?? operands[0]!, op));
  };

const common = (a: IntegerRange, b: IntegerRange): number => Math.min(a.align, b.align);

const isWhole = (r: IntegerRange, type: ScalarType): boolean => fitsType(type, r.lo, r.hi);

/** Bits of an `and`: where one side is not negative, neither is the result, nor is it more. */
const and: Rule = (_op, [a, b], type) => {
  const align = Math.max(a!.align, b!.align);
  const limits = [a!, b!].filter((r) => r.lo >= 0).map((r) => r.hi);
  /* A mask of all high bits rounds down. */
  for (const [mask, x] of [
    [b!, a!],
    [a!, b!],
  ] as const) {
    if (isSingleRange(mask) && mask.lo < 0 && mask.lo === -mask.align && isWhole(x, type)) {
      const down = (n: number): number => Math.floor(n / mask.align) * mask.align;
      return rangeBetween(type, down(x.lo), down(x.hi), align);
    }
  }
  return limits.length === 0 ? { ...fullRange(type), align } : rangeBetween(type, 0, Math.min(...limits), align);
};

/** Whether no bit is set in both, so that `or`, `xor` and a sum are the same. */
export const disjointBits = (a: IntegerRange, b: IntegerRange): boolean => b.lo >= 0 && b.hi < a.align;

const or =
  (exclusive: boolean): Rule =>
  (_op, [a, b], type) => {
    const align = common(a!, b!);
    if (disjointBits(a!, b!) || disjointBits(b!, a!)) return rangeBetween(type, a!.lo + b!.lo, a!.hi + b!.hi, align);
    if (a!.lo < 0 || b!.lo < 0) return { ...fullRange(type), align };
    const most = Math.max(a!.hi, b!.hi);
    let unit = 1;
    while (unit <= most) unit *= 2;
    return rangeBetween(type, exclusive ? 0 : Math.max(a!.lo, b!.lo), unit - 1, align);
  };

const shiftRight: Rule = (op, [a, b], type) => {
  if (!isWhole(a!, type)) return fullRange(type);
  const by = shiftBy(op, b!);
  if (by !== undefined)
    return rangeBetween(type, Math.floor(a!.lo / by), Math.floor(a!.hi / by), Math.max(1, a!.align / by));
  return a!.lo >= 0 ? rangeBetween(type, 0, a!.hi) : rangeBetween(type, a!.lo, Math.max(0, a!.hi));
};

const divide: Rule = (_op, [a, b], type) => {
  if (!isWhole(a!, type)) return fullRange(type);
  if (isSingleRange(b!) && b!.lo > 0) {
    const by = b!.lo;
    const align = alignOf(by) === by ? Math.max(1, a!.align / by) : 1;
    return rangeBetween(type, Math.trunc(a!.lo / by) + 0, Math.trunc(a!.hi / by) + 0, align);
  }
  return a!.lo >= 0 && b!.lo >= 0 ? rangeBetween(type, 0, a!.hi) : fullRange(type);
};

const remainder: Rule = (_op, [a, b], type) => {
  if (b!.lo <= 0 || !isWhole(b!, type)) {
    /* Not farther from zero than the dividend. */
    return isWhole(a!, type) ? rangeBetween(type, Math.min(0, a!.lo), Math.max(0, a!.hi)) : fullRange(type);
  }
  const most = b!.hi - 1;
  return rangeBetween(
    type,
    Math.max(0 - most, Math.min(0, a!.lo)),
    Math.min(most, Math.max(0, a!.hi)),
    isSingleRange(b!) ? common(a!, b!) : 1,
  );
};

const notZero = (a: IntegerRange): IntegerRange =>
  a.lo > 0 || a.hi < 0 ? rangeOfValue(1) : isSingleRange(a) ? rangeOfValue(0) : fullRange('i1');

/** What a comparison gives for all values of two ranges; nothing where that is not always the same. */
export const compareRanges = (predicate: string, a: IntegerRange, b: IntegerRange): boolean | undefined => {
  switch (predicate) {
    case 'lt':
      return a.hi < b.lo ? true : a.lo >= b.hi ? false : undefined;
    case 'le':
      return a.hi <= b.lo ? true : a.lo > b.hi ? false : undefined;
    case 'gt':
      return compareRanges('lt', b, a);
    case 'ge':
      return compareRanges('le', b, a);
    case 'eq':
      return a.hi < b.lo || b.hi < a.lo ? false : isSingleRange(a) && isSingleRange(b) ? true : undefined;
    case 'ne': {
      const equal = compareRanges('eq', a, b);
      return equal === undefined ? undefined : !equal;
    }
    default:
      return undefined;
  }
};

/** The range of what each op of the dialect `arith` gives on integers, by the op's bare name. */
export const arithmeticRanges: Readonly<Partial<Record<string, Rule>>> = {
  add: wrapping(common),
  sub: wrapping(common),
  neg: wrapping(common),
  mul: wrapping((a, b) => Math.min(2 ** 52, a.align * b.align)),
  shl: wrapping((a, b, op) => Math.min(2 ** 52, a.align * (shiftBy(op, b) ?? 1))),
  min: (_op, [a, b], type) => rangeBetween(type, Math.min(a!.lo, b!.lo), Math.min(a!.hi, b!.hi), common(a!, b!)),
  max: (_op, [a, b], type) => rangeBetween(type, Math.max(a!.lo, b!.lo), Math.max(a!.hi, b!.hi), common(a!, b!)),
  and: and,
  or: or(false),
  xor: or(true),
  not: (_op, [a], type) => {
    if (!isWhole(a!, type)) return fullRange(type);
    const ones = type === 'i1' ? 1 : type.startsWith('u') ? fullRange(type).hi : -1;
    /* Of u64 the complement of a small number is too large for bounds that are exact. */
    return rangeWrapped(type, ones - a!.hi, ones - a!.lo);
  },
  shr: shiftRight,
  div: divide,
  rem: remainder,
  select: (_op, [, a, b]) => joinRanges(a!, b!),
  cast: (_op, [a], type) =>
    a === undefined ? fullRange(type) : type === 'i1' ? notZero(a) : rangeWrapped(type, a.lo, a.hi, a.align),
  cmp: (op, [a, b], type) => {
    const known = a && b ? compareRanges(String(op.attrs['predicate']), a, b) : undefined;
    return known === undefined ? fullRange(type) : rangeOfValue(known ? 1 : 0);
  },
};
