import type { Affine } from '../../trace/piece.js';
import { eliminate, equalsZero, iterator, minus, negated, plain, tidy, type Conjunction } from './conjunction.js';
import { withoutEqualities } from './equalities.js';

/** Whether no point satisfies the conditions, iterators being anything beyond them. */
export const isEmpty = (conditions: Conjunction): boolean => {
  let left = withoutEqualities(conditions);
  while (left !== undefined && left.length > 0) left = eliminate(left, cheapest(left));
  return left === undefined;
};

/** Bounds of an affine function over a set; infinite where there is none, undefined on an empty set. */
export const rangeOf = (
  conditions: Conjunction,
  f: Affine,
): { readonly min: number; readonly max: number } | undefined => {
  const dims = Math.max(f.coefs.length, ...conditions.map((c) => c.coefs.length));
  /* One iterator more, equal to f, and all others eliminated. */
  const value = iterator(dims);
  let left = withoutEqualities([...conditions, ...equalsZero(minus(value, f))], dims);
  for (;;) {
    if (left === undefined) return undefined;
    const d = cheapest(left, dims);
    if (d < 0) break;
    left = eliminate(left, d);
  }
  let [min, max] = [-Infinity, Infinity];
  for (const g of left) {
    if (g.coefs[dims] > 0) min = Math.max(min, Math.ceil(-g.constant / g.coefs[dims]));
    else max = Math.min(max, Math.floor(g.constant / -g.coefs[dims]));
  }
  return min > max ? undefined : { min: plain(min), max: plain(max) };
};

/** The points of a set that are in none of some others, as disjoint sets. */
export const difference = (set: Conjunction, others: readonly Conjunction[]): readonly Conjunction[] => {
  let parts: Conjunction[] = isEmpty(set) ? [] : [tidy(set)!];
  for (const other of others) {
    const next: Conjunction[] = [];
    for (const part of parts) next.push(...without(part, other));
    parts = next;
  }
  return parts;
};

const without = (set: Conjunction, other: Conjunction): Conjunction[] => {
  if (isEmpty([...set, ...other])) return [set];
  const parts: Conjunction[] = [];
  let inside = set;
  for (const f of other) {
    const outside = [...inside, negated(f)];
    if (isEmpty(outside)) continue;
    parts.push(tidy(outside)!);
    inside = [...inside, f];
  }
  return parts;
};

/** A set without the conditions that the others, or those of `context`, imply. */
export const withoutImplied = (set: Conjunction, context: Conjunction = []): Conjunction => {
  let kept = tidy(set) ?? set;
  for (const f of kept) {
    const others = kept.filter((g) => g !== f);
    if (isEmpty([...context, ...others, negated(f)])) kept = others;
  }
  return kept;
};

/** The iterator that costs the fewest new conditions to eliminate, except one; −1 where there is none. */
const cheapest = (conditions: Conjunction, except = -1): number => {
  const dims = Math.max(...conditions.map((f) => f.coefs.length));
  let best = -1;
  let least = Infinity;
  for (let d = 0; d < dims; d++) {
    if (d === except) continue;
    let [lower, upper] = [0, 0];
    for (const f of conditions) {
      const c = f.coefs[d] ?? 0;
      if (c > 0) lower++;
      else if (c < 0) upper++;
    }
    const cost = lower * upper - lower - upper;
    if (lower + upper > 0 && cost < least) [best, least] = [d, cost];
  }
  return best;
};
