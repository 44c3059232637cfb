import { byteSize, scalarOf, type Op, type ScalarType } from '@filigree/ir';
import { alignOf, between, exactly, fits, fullRange, isSingle, join, wrapped, type Range } from './range.js';

/**
 * The range of the result of an op of the dialect `arith` on integers, from those of its operands; nothing for other ops.
 * `to` is the type of the result.
 */
export const transfer = (op: Op, operands: readonly (Range | undefined)[], to: ScalarType): Range | undefined => {
  const rule = rules[op.name];
  return rule?.(operands, to, op);
};

/** What a sum, difference, product or shift gives before it wraps; nothing for other ops. */
export const beforeWrap = (
  op: Op,
  [a, b]: readonly (Range | undefined)[],
): readonly [lo: number, hi: number] | undefined => {
  if (!a) return undefined;
  if (op.name === 'arith.neg') return [0 - a.hi, 0 - a.lo];
  if (!b) return undefined;
  if (op.name === 'arith.add') return [a.lo + b.lo, a.hi + b.hi];
  if (op.name === 'arith.sub') return [a.lo - b.hi, a.hi - b.lo];
  if (op.name === 'arith.mul') return product(a, b);
  const by = op.name === 'arith.shl' ? shiftBy(op, b) : undefined;
  return by === undefined ? undefined : product(a, exactly(by));
};

/** The power of two that a shift by a known amount multiplies or divides by; nothing where the amount counts modulo the width. */
export const shiftBy = (op: Op, amount: Range): number | undefined =>
  isSingle(amount) && amount.lo >= 0 && amount.lo < Math.min(32, 8 * byteSize(scalarOf(op.operands[0]!.type)))
    ? 2 ** amount.lo
    : undefined;

const product = (a: Range, b: Range): readonly [number, number] => {
  const corners = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
  return [Math.min(...corners) + 0, Math.max(...corners) + 0];
};

/** Operands without a range, such as floats, are absent. */
type Rule = (operands: readonly (Range | undefined)[], type: ScalarType, op: Op) => Range;

/** A sum or product, whose low zero bits survive when it wraps. */
const wrapping =
  (align: (a: Range, b: Range, op: Op) => number): Rule =>
  (operands, type, op) => {
    const [lo, hi] = beforeWrap(op, operands) ?? [-Infinity, Infinity];
    return wrapped(type, lo, hi, align(operands[0]!, operands[1] ?? operands[0]!, op));
  };

const common = (a: Range, b: Range): number => Math.min(a.align, b.align);

const isWhole = (r: Range, type: ScalarType): boolean => fits(type, r.lo, r.hi);

/** Bits of an `and`: where one side is not negative, neither is the result, nor is it more. */
const and: Rule = ([a, b], type) => {
  const align = Math.max(a!.align, b!.align);
  const limits = [a!, b!].filter((r) => r.lo >= 0).map((r) => r.hi);
  /* A mask of all high bits rounds down. */
  for (const [mask, x] of [
    [b!, a!],
    [a!, b!],
  ] as const) {
    if (isSingle(mask) && mask.lo < 0 && mask.lo === -mask.align && isWhole(x, type)) {
      const down = (n: number): number => Math.floor(n / mask.align) * mask.align;
      return between(type, down(x.lo), down(x.hi), align);
    }
  }
  return limits.length === 0 ? { ...fullRange(type), align } : between(type, 0, Math.min(...limits), align);
};

/** Whether no bit is set in both, so that `or`, `xor` and a sum are the same. */
export const disjointBits = (a: Range, b: Range): boolean => b.lo >= 0 && b.hi < a.align;

const or =
  (exclusive: boolean): Rule =>
  ([a, b], type) => {
    const align = common(a!, b!);
    if (disjointBits(a!, b!) || disjointBits(b!, a!)) return between(type, a!.lo + b!.lo, a!.hi + b!.hi, align);
    if (a!.lo < 0 || b!.lo < 0) return { ...fullRange(type), align };
    const most = Math.max(a!.hi, b!.hi);
    let unit = 1;
    while (unit <= most) unit *= 2;
    return between(type, exclusive ? 0 : Math.max(a!.lo, b!.lo), unit - 1, align);
  };

const shiftRight: Rule = ([a, b], type, op) => {
  if (!isWhole(a!, type)) return fullRange(type);
  const by = shiftBy(op, b!);
  if (by !== undefined)
    return between(type, Math.floor(a!.lo / by), Math.floor(a!.hi / by), Math.max(1, a!.align / by));
  return a!.lo >= 0 ? between(type, 0, a!.hi) : between(type, a!.lo, Math.max(0, a!.hi));
};

const divide: Rule = ([a, b], type) => {
  if (!isWhole(a!, type)) return fullRange(type);
  if (isSingle(b!) && b!.lo > 0) {
    const by = b!.lo;
    const align = alignOf(by) === by ? Math.max(1, a!.align / by) : 1;
    return between(type, Math.trunc(a!.lo / by) + 0, Math.trunc(a!.hi / by) + 0, align);
  }
  return a!.lo >= 0 && b!.lo >= 0 ? between(type, 0, a!.hi) : fullRange(type);
};

const remainder: Rule = ([a, b], type) => {
  if (b!.lo <= 0 || !isWhole(b!, type)) {
    /* Not farther from zero than the dividend. */
    return isWhole(a!, type) ? between(type, Math.min(0, a!.lo), Math.max(0, a!.hi)) : fullRange(type);
  }
  const most = b!.hi - 1;
  return between(
    type,
    Math.max(0 - most, Math.min(0, a!.lo)),
    Math.min(most, Math.max(0, a!.hi)),
    isSingle(b!) ? common(a!, b!) : 1,
  );
};

const rules: Readonly<Record<string, Rule>> = {
  'arith.add': wrapping(common),
  'arith.sub': wrapping(common),
  'arith.neg': wrapping(common),
  'arith.mul': wrapping((a, b) => Math.min(2 ** 52, a.align * b.align)),
  'arith.shl': wrapping((a, b, op) => Math.min(2 ** 52, a.align * (shiftBy(op, b) ?? 1))),
  'arith.min': ([a, b], type) => between(type, Math.min(a!.lo, b!.lo), Math.min(a!.hi, b!.hi), common(a!, b!)),
  'arith.max': ([a, b], type) => between(type, Math.max(a!.lo, b!.lo), Math.max(a!.hi, b!.hi), common(a!, b!)),
  'arith.and': and,
  'arith.or': or(false),
  'arith.xor': or(true),
  'arith.not': ([a], type) => {
    if (!isWhole(a!, type)) return fullRange(type);
    const ones = type === 'i1' ? 1 : type.startsWith('u') ? fullRange(type).hi : -1;
    /* Of u64 the complement of a small number is too large for bounds that are exact. */
    return wrapped(type, ones - a!.hi, ones - a!.lo);
  },
  'arith.shr': shiftRight,
  'arith.div': divide,
  'arith.rem': remainder,
  'arith.select': ([, a, b]) => join(a!, b!),
  'arith.cast': ([a], type) =>
    a === undefined ? fullRange(type) : type === 'i1' ? notZero(a) : wrapped(type, a.lo, a.hi, a.align),
  'arith.cmp': ([a, b], type, op) => {
    const known = a && b ? compare(String(op.attrs['predicate']), a, b) : undefined;
    return known === undefined ? fullRange(type) : exactly(known ? 1 : 0);
  },
};

const notZero = (a: Range): Range => (a.lo > 0 || a.hi < 0 ? exactly(1) : isSingle(a) ? exactly(0) : fullRange('i1'));

/** What a comparison gives for all values of two ranges; nothing where that is not always the same. */
export const compare = (predicate: string, a: Range, b: Range): boolean | undefined => {
  switch (predicate) {
    case 'lt':
      return a.hi < b.lo ? true : a.lo >= b.hi ? false : undefined;
    case 'le':
      return a.hi <= b.lo ? true : a.lo > b.hi ? false : undefined;
    case 'gt':
      return compare('lt', b, a);
    case 'ge':
      return compare('le', b, a);
    case 'eq':
      return a.hi < b.lo || b.hi < a.lo ? false : isSingle(a) && isSingle(b) ? true : undefined;
    case 'ne': {
      const equal = compare('eq', a, b);
      return equal === undefined ? undefined : !equal;
    }
    default:
      return undefined;
  }
};
