import { active, array, range, type Grid1 } from '@filigree/lang';
import { dense, field, hash, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, problemsOf } from './kernel-run.js';

describe('where the least or the greatest is', () => {
  it('is the first of equals, the last, or the one behind other conditions, as in plain TypeScript', () =>
    agree((a, k) => {
      let [best, at] = [-Infinity, -1];
      for (const i of range(a.length)) {
        if (k[i] > best) {
          best = k[i];
          at = i;
        }
      }
      const least = { value: 1000, at: -1, of: 0 };
      for (const i of range(k.length)) {
        const x = k[i] * k[i];
        if (x <= least.value) {
          least.value = x;
          least.at = i;
          least.of = a[i];
        }
      }
      let [odd, where] = [1e9, -1];
      for (const [i, x] of k.entries()) if (a[i] > 0 && x < odd && x % 2 !== 0) [odd, where] = [x, i];
      let [even, there] = [1e9, -1];
      for (const i of range(k.length)) {
        if (k[i] % 2 === 0 && k[i] < even) {
          even = k[i];
          there = i;
        }
      }
      a[0] = at + 100 * least.at + least.of + best;
      a[1] = where + 100 * there;
      a[2] = odd + even + least.value;
    }));

  it('in a function, and beside sums', () => {
    const nearest = (a: Float64Array, x: number): readonly [number, number] => {
      let [d, at] = [Infinity, -1];
      let sum = 0;
      for (const i of range(a.length)) {
        const own = Math.abs(a[i] - x);
        sum += own;
        if (own < d) {
          d = own;
          at = i;
        }
      }
      return [at, sum];
    };
    agree(
      (a, k, x) => {
        const [at, sum] = nearest(a, x);
        const [again] = nearest(a, -x);
        for (const i of range(a.length)) k[i] += at + again;
        return sum;
      },
      { nearest },
    );
  });

  it('alone is asked of all at once, also behind other conditions', () =>
    agree((a, k, x) => {
      let most = -100;
      let least = 100;
      for (const i of range(a.length)) if (k[i] > 0 && a[i] !== x && a[i] > most) most = a[i];
      for (const i of range(a.length)) {
        if (a[i] > 0 && least > a[i]) least = a[i];
      }
      for (const i of range(a.length)) a[i] = most - least;
    }));

  it('is refused where the elements of a hash table are gone through, which have no order', () => {
    const u = field('u', 'f64');
    const kernel = define([u, array('i32', 1)], (u: Grid1, at: Int32Array) => {
      let [best, where] = [0, -1];
      for (const i of active(u)) {
        if (u[i] > best) {
          best = u[i];
          where = i;
        }
      }
      at[0] = where;
    });
    expect(problemsOf(kernel, layout(hash(i, 16).place(u)))[0]).toMatchObject({ code: 'lang/parallel-write' });
    expect(problemsOf(kernel, layout(dense(i, 16).bitmasked().place(u)))).toEqual([]);
  });
});
