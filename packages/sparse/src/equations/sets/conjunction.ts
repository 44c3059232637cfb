import { gcd } from '../../trace/gcd.js';
import type { Affine } from '../../trace/piece.js';
import { withoutEqualities } from './equalities.js';

/**
 * The integer points where every function is at least 0: conditions on iterators, and domains of statements. Coefficients
 * are whole numbers, missing ones are 0.
 */
export type Conjunction = readonly Affine[];

export const constantOf = (n: number): Affine => ({ constant: n, coefs: [] });

/** The iterator at depth d. */
export const iterator = (d: number): Affine => ({ constant: 0, coefs: [...new Array<number>(d).fill(0), 1] });

export const isConstant = (f: Affine): boolean => f.coefs.every((c) => c === 0);

/** a·f + b·g. */
export const combine = (a: number, f: Affine, b: number, g: Affine): Affine => {
  const n = Math.max(f.coefs.length, g.coefs.length);
  const coefs = new Array<number>(n);
  for (let d = 0; d < n; d++) coefs[d] = plain(a * (f.coefs[d] ?? 0) + b * (g.coefs[d] ?? 0));
  while (coefs.length > 0 && coefs[coefs.length - 1] === 0) coefs.pop();
  return { constant: plain(a * f.constant + b * g.constant), coefs };
};

export const plus = (f: Affine, g: Affine): Affine => combine(1, f, 1, g);
export const minus = (f: Affine, g: Affine): Affine => combine(1, f, -1, g);
export const times = (f: Affine, n: number): Affine => combine(n, f, 0, f);
export const shiftedBy = (f: Affine, n: number): Affine => ({ constant: f.constant + n, coefs: f.coefs });

/** f where iterator d is replaced by at[d]. */
export const substituteAll = (f: Affine, at: readonly Affine[]): Affine => {
  let sum = constantOf(f.constant);
  f.coefs.forEach((c, d) => {
    if (c !== 0) sum = combine(1, sum, c, at[d]);
  });
  return sum;
};

/** f where one iterator is replaced. */
export const substituteOne = (f: Affine, d: number, by: Affine): Affine => {
  const c = f.coefs[d] ?? 0;
  if (c === 0) return f;
  const rest = { constant: f.constant, coefs: f.coefs.map((x, k) => (k === d ? 0 : x)) };
  return combine(1, rest, c, by);
};

export const sameAffine = (f: Affine, g: Affine): boolean => {
  if (f.constant !== g.constant) return false;
  const n = Math.max(f.coefs.length, g.coefs.length);
  for (let d = 0; d < n; d++) if ((f.coefs[d] ?? 0) !== (g.coefs[d] ?? 0)) return false;
  return true;
};

/** The points where f is negative. */
export const negated = (f: Affine): Affine => combine(-1, f, 1, constantOf(-1));

/** f = 0 as two conditions. */
export const equalsZero = (f: Affine): Conjunction => [f, times(f, -1)];

/**
 * Equal integer points, with fewer and tighter conditions: coefficients without common divisors, one condition for each
 * direction, none that always hold; undefined where one never holds.
 */
export const tidy = (conditions: Conjunction): Conjunction | undefined => {
  const least = new Map<string, Affine>();
  for (const f of conditions) {
    let g = 0;
    for (const c of f.coefs) g = gcd(g, Math.abs(c));
    if (g === 0) {
      if (f.constant < 0) return undefined;
      continue;
    }
    const coefs = f.coefs.map((c) => plain(c / g));
    while (coefs[coefs.length - 1] === 0) coefs.pop();
    const tight = { constant: Math.floor(f.constant / g), coefs };
    const key = coefs.join();
    const before = least.get(key);
    if (before === undefined || tight.constant < before.constant) least.set(key, tight);
  }
  for (const f of least.values()) {
    const opposite = least.get(f.coefs.map((c) => plain(-c)).join());
    if (opposite !== undefined && opposite.constant + f.constant < 0) return undefined;
  }
  return [...least.values()];
};

/**
 * The shadow of a set along one iterator (Fourier-Motzkin). Exact in integers where one coefficient of each pair is ±1, else
 * it may hold points that nothing casts.
 */
export const eliminate = (conditions: Conjunction, d: number): Conjunction | undefined => {
  const lower: Affine[] = [];
  const upper: Affine[] = [];
  const rest: Affine[] = [];
  for (const f of conditions) {
    const c = f.coefs[d] ?? 0;
    (c > 0 ? lower : c < 0 ? upper : rest).push(f);
  }
  for (const l of lower) for (const u of upper) rest.push(combine(-u.coefs[d], l, l.coefs[d], u));
  return tidy(rest);
};

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

/* −0 is 0. */
const plain = (n: number): number => (n === 0 ? 0 : n);
