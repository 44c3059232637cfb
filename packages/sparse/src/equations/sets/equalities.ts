import type { Affine } from '../../trace/piece.js';
import { iterator, minus, plus, substituteOne, tidy, times, type Conjunction } from './conjunction.js';

/**
 * Conditions with as many integer points, in which no two opposite ones hold only with equality, unless they have iterator
 * `except`: each such equality gives one iterator by the others. Eliminating that iterator by pairs of bounds instead would
 * forget that it is whole (2·x = 3·y + 3 has no point with y = 0). Iterators other than `except` may mean something else
 * after it. Undefined where an equality has no solution in integers.
 */
export const withoutEqualities = (conditions: Conjunction, except = -1): Conjunction | undefined => {
  let left = tidy(conditions);
  for (;;) {
    const equality = left && equalityIn(left, except);
    if (left === undefined || equality === undefined) return left;
    const { coefs } = equality;
    const size = (k: number): number => Math.abs(coefs[k]) || Infinity;
    const d = coefs.reduce((best, _, k) => (size(k) < size(best) ? k : best), 0);
    const c = coefs[d];
    /* What the iterator is, or, by a step of Euclid's algorithm on the coefficients, another one with smaller ones beside it. */
    const others = coefs.map((x, k) => (k === d ? 0 : -Math.round(x / c)));
    const by: Affine =
      Math.abs(c) === 1 ? minus(iterator(d), times(equality, c)) : plus(iterator(d), { constant: 0, coefs: others });
    left = tidy(left.map((f) => substituteOne(f, d, by)));
  }
};

const equalityIn = (conditions: Conjunction, except: number): Affine | undefined => {
  const seen = new Map<string, Affine>();
  for (const f of conditions) {
    if ((f.coefs[except] ?? 0) !== 0) continue;
    const opposite = seen.get(`${-f.constant}:${f.coefs.map((c) => -c || 0).join()}`);
    if (opposite !== undefined) return f;
    seen.set(`${f.constant}:${f.coefs.join()}`, f);
  }
  return undefined;
};
