import { gcd } from '../../trace/gcd.js';
import type { Affine } from '../../trace/piece.js';

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

/** −0 is 0. */
export const plain = (n: number): number => (n === 0 ? 0 : n);
