import { range } from '@filigree/lang';
import { it } from 'vitest';
import { agree } from './agree.js';

interface Sum {
  n: number;
  total: number;
}
const bump = (sum: Sum, by: number): number => {
  sum.n += 1;
  sum.total += by;
  return sum.n;
};
const twice = (sum: Sum, by: number): number => bump(sum, by) + bump(sum, -by / 2);
const scaled = (row: number[], by: number): void => {
  for (let c = 0; c < row.length; c++) row[c] *= by;
};
const moved = (from: Sum, to: Sum, by: number): void => {
  from.total -= by;
  to.total += by;
};

it('functions change one of several objects or rows that they are given, by its index or by a name for it', () =>
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const sums: Sum[] = [
          { n: 0, total: 0 },
          { n: 5, total: 1 },
          { n: 7, total: 2 },
        ];
        const rows = [
          [1, 2],
          [3, 4],
        ];
        let seen = 0;
        for (let j = 0; j < 4; j++) {
          seen += twice(sums[Math.abs(k[i] + j) % 3], a[i] * j);
          const least = sums[j % 3];
          bump(least, 0.5);
          seen += 10 * least.n;
          scaled(rows[Math.abs(k[i]) % 2], j + 1);
        }
        moved(sums[i % 2], sums[2], 3);
        a[i] = seen + sums[0].total + 3 * sums[1].n + 7 * sums[2].total + rows[0][1] + 100 * rows[1][0];
      }
    },
    { bump, twice, scaled, moved },
  ));

it('methods that call others of their object change it where it is one of several', () => {
  class Mean {
    sum = 0;
    n = 0;
    add(x: number): this {
      this.sum += x;
      return this.counted();
    }
    counted(): this {
      this.n++;
      return this;
    }
  }
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const means = [new Mean(), new Mean()];
        for (let j = 0; j < 5; j++) means[Math.abs(k[i] * j) % 2].add(a[i] + j);
        a[i] = means[0].sum * 10 + means[1].sum + means[0].n;
      }
    },
    { Mean },
  );
});

const mixed = (from: Sum, to: Sum, by: number): void => {
  from.total *= by;
  to.total += from.total;
  from.n -= to.n;
};

it('also where two of those that it is given are the same', () =>
  agree(
    (a, k) => {
      for (const i of range(a.length)) {
        const sums: Sum[] = [
          { n: 1, total: a[i] },
          { n: 5, total: 1 },
        ];
        const [first] = sums;
        first.n = 3;
        mixed(sums[k[i] & 1], first, 3);
        mixed(sums[k[i] & 1], sums[i & 1], 0.5);
        a[i] = sums[0].total + 10 * sums[1].total + 100 * sums[0].n + 1000 * sums[1].n;
      }
    },
    { mixed },
  ));
