import { array, range, serially } from '@filigree/lang';
import { describe, expect, it } from 'vitest';
import { agree } from './agree.js';
import { define, textOf } from './kernel-run.js';

describe('arrays of many numbers that a kernel makes', () => {
  it('are read and written at any place', () =>
    agree((a, k, x) => {
      for (const i of range(a.length)) {
        const row = new Float64Array(12);
        const count = new Array(10).fill(0);
        for (let n = 0; n < 12; n++) row[n] = n * x;
        for (let n = 1; n < 12; n++) row[n] += 0.5 * row[n - 1];
        row[3] = a[i];
        for (const y of k) count[((y % 10) + 10) % 10]++;
        const at = ((k[i] % 10) + 10) % 10;
        const before = count[at]--;
        a[i] = row[at] + 10 * count[at] + 100 * before + row[3] + row.length + row.reduce((s, y) => s + y, 0);
      }
    }));

  it('wrap and round as typed arrays do, and are no other after a copy', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        const bytes = new Uint8Array(9);
        for (let n = 0; n < 9; n++) bytes[n] = k[i] * n;
        const copy = [...bytes];
        copy[4] = 1000;
        bytes[Math.abs(k[i]) % 9] ^= 255;
        const narrow = new Float32Array(9);
        narrow[Math.abs(k[i]) % 9] = a[i];
        a[i] = narrow[Math.abs(k[i]) % 9];
        a[i] += bytes[Math.abs(k[i]) % 9] + copy[Math.abs(k[i]) % 9];
      }
    }));

  it('are updated at one place: no other is read', () => {
    const text = textOf(
      define([array('f64', 8), array('i32', 8)], (a: number[], k: number[]) => {
        const row = new Array(10).fill(0.0);
        for (let n = 0; n < 8; n++) row[k[n]] += a[n];
        for (let n = 0; n < 8; n++) a[n] = row[k[n]];
      }),
    );
    expect(text.match(/mem.load .*_row/g)).toHaveLength(2);
  });

  it('are stacks, and begin anew in each iteration', () =>
    agree((a, k) => {
      for (const i of range(a.length)) {
        const stack = new Int32Array(16);
        let top = 0;
        stack[top++] = Math.abs(k[i]) + 1;
        let sum = stack[15];
        while (top > 0) {
          const n = stack[--top];
          sum += n;
          if (n > 2 && top < 14) {
            stack[top++] = n >> 1;
            stack[top++] = n - (n >> 1) - 1;
          }
        }
        a[i] = sum;
      }
    }));

  it('are seen by parallel loops that come after', () =>
    agree((a, k, x) => {
      const table = new Array(11).fill(0);
      for (const n of serially(range(11))) table[n] = n * x + (n > 0 ? table[n - 1] : 0);
      for (const i of range(a.length)) a[i] = table[Math.abs(k[i]) % 11];
      const sums = new Array(12).fill(0);
      for (const i of range(a.length)) sums[Math.abs(k[i]) % 12] += 1;
      for (const i of range(a.length)) k[i] = sums[i % 12];
    }));

  it('are left by continue, break and return on the way', () =>
    agree((a, k, x) => {
      const last = (of: number): number => {
        const seen = new Array(10).fill(0);
        for (let n = 0; n < 10; n++) {
          if (n > of) return seen[Math.max(0, n - 2)];
          if (n === 4) continue;
          seen[n] = n > 0 ? seen[n - 1] + x : 1;
        }
        return seen[9];
      };
      for (const i of range(a.length)) a[i] = last(k[i]);
    }));

  it('are memory of an iteration, where few are variables', () => {
    const text = (length: number): string =>
      textOf(
        define(
          [array('i32', 24)],
          (k: Int32Array) => {
            for (const i of range(24)) {
              const all = new Array(length).fill(1);
              all[k[i]] = 2;
              k[i] = all[k[i] >> 1];
            }
          },
          { scope: { length } },
        ),
      );
    expect(text(4)).toContain('arith.select');
    expect(text(20)).not.toContain('arith.select');
    expect(text(20)).toMatch(/mem\.load %\d+ \{buffer = @\w*all\}/);
  });
});
