import { range, vec } from '@filigree/lang';
import { describe, it } from 'vitest';
import { agree } from './agree.js';

describe('a function that changes the array it is asked about', () => {
  it('some', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.some((y) => (list[2] = 7 * y) > ++asked) ? 1 : 0;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('every', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.every((y) => (list[2] = y + 1) < 10 - ++asked) ? 1 : 0;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('find', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.find((y) => (list[2] = y + 10) > 8 + ++asked) ?? -5;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findLast', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findLast((y) => (list[0] = y + 10) > 8 + ++asked) ?? -5;
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findIndex', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findIndex((y) => (list[2] = y + x) > 1 + ++asked);
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('findLastIndex', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let asked = 0;
        a[i] = list.findLastIndex((y) => (list[0] = y + x) > 1 + ++asked);
        a[i] += 10 * list[0] + 100 * list[2] + 1000 * asked;
      }
    }));

  it('filter, flatMap and Array.from', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        const kept = list.filter((_, j) => {
          list[2] += 3;
          return j !== 1;
        });
        const pair = [0, 0];
        const pairs = list.flatMap((y) => {
          list[2] += y;
          pair[1] = y;
          return pair;
        });
        const made = Array.from(list, (y) => (list[2] += y));
        a[i] = [...kept, ...pairs, ...made].reduce((s, y) => 2 * s + y, 0);
      }
    }));

  it('entries and values are gone through one by one, and kept by a copy', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        let s = 0;
        const before = [...list.entries()];
        for (const [j, y] of list.entries()) {
          s = 2 * s + y + j;
          list[2] += y;
        }
        for (const y of list.values()) {
          s = 2 * s + y;
          list[2] += y;
        }
        a[i] = s + before[2][1];
      }
    }));

  it('names that an array is taken apart into are given items as they are then', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const list = [1, k[i], x];
        [list[1], list[0]] = list;
        const v = vec(a[i], x, 2);
        [v.y, v.x] = v;
        let s = 0;
        for (const c of v) {
          v.z = c;
          s = 2 * s + c;
        }
        a[i] = s + list[0] + 3 * list[1] + v.z;
      }
    }));
});

it('includes finds NaN, indexOf does not', () =>
  agree((a, k) => {
    for (const i of range(a.length)) {
      const list = [a[i], 0 / (k[i] - k[i])];
      a[i] = (list.includes(Math.sqrt(-1 - k[i] * k[i])) ? 1 : 0) + list.indexOf(Math.sqrt(-1 - k[i] * k[i]));
      k[i] = [1, k[i]].includes(3) ? 1 : 0;
    }
  }));

it('a place that is known when the kernel is compiled is an index', () =>
  agree((a, k, x) => {
    for (const i of range(a.length)) {
      const lists = [[1, 2], [x]];
      a[i] =
        lists[[3, 4].indexOf(4)].length + lists[[3, 4].findIndex((y) => y === 3)].length + k[[5, 6].lastIndexOf(6)];
    }
  }));
