import { type Op, type Value, isSingleRange, disjointBits, shiftBy } from '@filigree/ir';
import type { RangeContext } from './context.js';

/** A part of a sum: a value, or a number. */
export type Term = Value | number;

const deepest = 8;

/**
 * The terms of a sum of integers, including sums of disjoint bits by `or`. With `wraps`, sums that may wrap are split
 * too, for callers that compute modulo a power of two.
 */
export const termsOf = (v: Value, c: RangeContext, wraps = false, depth = 0): readonly Term[] => {
  const range = c.range(v);
  if (range && isSingleRange(range)) return [range.lo];
  const op = depth < deepest ? c.def(v) : undefined;
  return op && isSum(op, c, wraps) ? op.operands.flatMap((o) => termsOf(o, c, wraps, depth + 1)) : [v];
};

const isSum = (op: Op, c: RangeContext, wraps: boolean): boolean => {
  if (op.name === 'arith.add') return wraps || c.exact(op);
  if (op.name !== 'arith.or' && op.name !== 'arith.xor') return false;
  const [a, b] = [c.range(op.operands[0]!), c.range(op.operands[1]!)];
  return a !== undefined && b !== undefined && (disjointBits(a, b) || disjointBits(b, a));
};

/** A sum as a multiple of `unit` and a rest from 0 to `unit` − 1; undefined if it cannot be shown to be one. */
export const splitSum = (
  terms: readonly Term[],
  unit: number,
  c: RangeContext,
): { readonly multiples: readonly Term[]; readonly rest: readonly Term[] } | undefined => {
  const multiples: Term[] = [];
  const rest: Term[] = [];
  for (const t of terms) {
    if (typeof t === 'number') {
      const low = ((t % unit) + unit) % unit;
      if (t !== low) multiples.push(t - low);
      if (low !== 0) rest.push(low);
    } else if (isMultiple(t, unit, c)) multiples.push(t);
    else rest.push(t);
  }
  const ranges = rest.map((t) => (typeof t === 'number' ? { lo: t, hi: t } : c.range(t)!));
  const lo = ranges.reduce((sum, r) => sum + r.lo, 0);
  const hi = ranges.reduce((sum, r) => sum + r.hi, 0);
  return lo >= 0 && hi < unit ? { multiples, rest } : undefined;
};

const isMultiple = (v: Value, unit: number, c: RangeContext): boolean => {
  const range = c.range(v);
  if (range && range.align % unit === 0) return true;
  const factor = factorOf(v, c);
  return factor !== undefined && factor % unit === 0;
};

/** The constant that a value is another one's product with, where the product does not wrap. */
export const factorOf = (v: Value, c: RangeContext): number | undefined => {
  const op = c.def(v);
  if (!op || !c.exact(op)) return undefined;
  const b = op.operands[1] && c.range(op.operands[1]);
  if (!b || !isSingleRange(b)) return undefined;
  return op.name === 'arith.mul' ? b.lo : op.name === 'arith.shl' ? shiftBy(op, b) : undefined;
};
