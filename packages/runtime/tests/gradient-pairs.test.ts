import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { idiv, kernel, ndrange, range, type KernelDef } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Iterations that change a pair of elements each in place, as transforms and sorting networks do. */
const N = 32;
const { x, begin, loss } = fields('f64', i, ['x', 'begin', 'loss']);
/* The same once more in rows. */
const ROW = 8;
const { y } = fields('f64', ij, ['y']);
const tree = layout(dense(i, N).place(x, begin), dense(ij, [N / ROW, ROW]).place(y), dense(i, 1).place(loss));
const scope = { scope: { N, ROW } };
const reset = kernel([x, y, begin, loss], scope, (x, y, begin, loss) => {
  loss[0] = 0.0;
  for (const p of range(N)) x[p] = begin[p];
  for (const [r, c] of ndrange(N / ROW, ROW)) y[r][c] = begin[r * ROW + c];
});
const total = kernel([x, y, loss], scope, (x, y, loss) => {
  for (const p of range(N)) loss[0] += x[p] ** 2 * (1 + 0.1 * p);
  for (const [r, c] of ndrange(N / ROW, ROW)) loss[0] += y[r][c] ** 2 * (1 + 0.1 * r - 0.2 * c);
});
const pairs: Readonly<Record<string, KernelDef>> = {
  'a remainder': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N / 2)) {
      const j = k % h;
      const at = 2 * (k - j) + j;
      const [a, b] = [x[at], x[at + h]];
      x[at] = a + Math.cos(j / h) * b * b;
      x[at + h] = a - b * b;
    }
  }),
  'a quotient of floats, and the number of elements': kernel([x, 'i32', 'i32'], (x, h, n) => {
    for (const k of range(n >> 1)) {
      const at = Math.floor(k / h) * 2 * h + (k % h);
      const [a, b] = [x[at], x[at + h]];
      x[at] = a + b * b;
      x[at + h] = a * b;
    }
  }),
  'half of an argument': kernel([x, 'i32'], scope, (x, h) => {
    const length = 2 * h;
    const half = length >> 1;
    for (const k of range(N / 2)) {
      const at = idiv(k, half) * length + (k % half);
      const [a, b] = [x[at], x[at + half]];
      x[at] = a + b * b;
      x[at + half] = a * b;
    }
  }),
  bits: kernel([x, 'i32'], scope, (x, h) => {
    const s = h < 2 ? 0 : h < 4 ? 1 : 2;
    const bit = 1 << s;
    for (const k of range(N / 2)) {
      const at = ((k >> s) << (s + 1)) | (k & (bit - 1));
      const [a, b] = [x[at], x[at | bit]];
      x[at] = a + b * b;
      x[at | bit] = a * b;
    }
  }),
  'loops over blocks': kernel([x, 'i32'], scope, (x, h) => {
    for (const block of range(0, N, 2 * h))
      for (const j of range(h)) {
        const [a, b] = [x[block + j], x[block + j + h]];
        x[block + j] = a + b * b;
        x[block + j + h] = a * b;
      }
  }),
  'real and imaginary parts': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N / 4)) {
      const at = 2 * (2 * k - (k % h));
      const [a, b, c, d] = [x[at], x[at + 1], x[at + 2 * h], x[at + 2 * h + 1]];
      x[at] = a + c * d;
      x[at + 1] = b - c * c;
      x[at + 2 * h] = a * d;
      x[at + 2 * h + 1] = b * c;
    }
  }),
  'partners by the greater one': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N)) {
      const l = k ^ h;
      if (l > k && x[k] > x[l]) [x[k], x[l]] = [x[l] * x[l], x[k]];
    }
  }),
  'partners by a bit': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N)) {
      if ((k & h) !== 0) continue;
      const [a, b] = [x[k], x[k + h]];
      x[k] = a + b * b;
      x[k + h] = a * b;
    }
  }),
  'partners by a bit that is on': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N)) {
      if ((k & h) !== h) continue;
      const [a, b] = [x[k], x[k - h]];
      x[k] = a + b * b;
      x[k - h] = a * b;
    }
  }),
  'partners by a bit that is shifted': kernel([x, 'i32'], scope, (x, s) => {
    for (const k of range(N)) {
      if ((k & (1 << s)) === 0) continue;
      const [a, b] = [x[k], x[k ^ (1 << s)]];
      x[k] = a + b * b;
      x[k ^ (1 << s)] = a * b;
    }
  }),
  'partners that pass over the lesser one': kernel([x, 'i32'], scope, (x, h) => {
    for (const k of range(N)) {
      const l = k ^ h;
      if (l <= k) continue;
      const [a, b] = [x[k], x[l]];
      x[k] = a + b * b;
      x[l] = a * b;
    }
  }),
  'multiples of twice the distance': kernel([x, 'i32'], scope, (x, h) => {
    for (const p of range(0, N, 2 * h)) {
      const [a, b] = [x[p], x[p + h]];
      x[p] = a + b * b;
      x[p + h] = a * b;
    }
  }),
  'mirrored ones, the second when the first is changed': kernel([x, 'i32'], scope, (x) => {
    for (const k of range(N / 2)) {
      const a = x[k];
      x[k] = a * a;
      const b = x[N - 1 - k];
      x[N - 1 - k] = b * b + 0.1 * a;
    }
  }),
  'neighbours, from an argument on': kernel([x, 'i32'], scope, (x, o) => {
    for (const k of range(o, N / 2)) {
      const at = 2 * k - o;
      const [a, b] = [x[at], x[at + 1]];
      x[at] = a + b * b;
      x[at + 1] = a * b;
    }
  }),
  'every other one, from an argument on': kernel([x, 'i32'], scope, (x, o) => {
    for (const k of range(o, N - 1, 2)) {
      const [a, b] = [x[k], x[k + 1]];
      x[k] = a + b * b;
      x[k + 1] = a * b;
    }
  }),
  'a remainder in each row': kernel([y, 'i32'], scope, (y, h) => {
    for (const [r, k] of ndrange(N / ROW, ROW / 2)) {
      const j = k % h;
      const at = 2 * (k - j) + j;
      const [a, b] = [y[r][at], y[r][at + h]];
      y[r][at] = a + Math.cos(j / h) * b * b;
      y[r][at + h] = a - b * b;
    }
  }),
  'partners in each row': kernel([y, 'i32'], scope, (y, h) => {
    for (const [r, k] of ndrange(N / ROW, ROW))
      if ((k & h) === 0) {
        const [a, b] = [y[r][k], y[r][k | h]];
        y[r][k] = a + b * b;
        y[r][k | h] = a * b;
      }
  }),
  'pairs of rows': kernel([y, 'i32'], scope, (y) => {
    for (const [r, k] of ndrange(N / ROW / 2, ROW)) {
      const [a, b] = [y[2 * r][k], y[2 * r + 1][k]];
      y[2 * r][k] = a + b * b;
      y[2 * r + 1][k] = a * b;
    }
  }),
};

describe('gradients of pairs of elements that are changed in place', () => {
  it.each([
    ['cpp', cpp(), 2],
    ['wasm', wasm(), 1],
  ] as const)('are those of differences: %s', async (_, backend, threads) => {
    const numbered = Object.fromEntries(Object.values(pairs).map((f, n) => [`f${n}`, f]));
    const sim = await made(
      program({ layout: tree, kernels: { ...numbered, reset, total }, differentiate: true, backend, threads }),
    );
    const run = sim.run as unknown as Readonly<Record<string, (...args: readonly number[]) => void>>;
    for (let k = 0; k < N; k++) sim.field(begin).set(k, 0.6 + 0.3 * Math.sin(3 * k));
    for (const [n, name] of Object.keys(pairs).entries())
      for (const steps of [[1], [4], [1, 2, 4]]) {
        const forward = (): void => {
          run.reset();
          for (const h of steps) run[`f${n}`](h, ...(name.includes('number') ? [N] : []));
          run.total();
        };
        const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { begin } });
        for (let k = 0; k < N; k += 3) {
          const found = gradient.begin.get(k);
          const here = sim.field(begin).get(k);
          const along = (t: number): number => {
            sim.field(begin).set(k, here + t);
            forward();
            sim.field(begin).set(k, here);
            return sim.field(loss).get(0);
          };
          const h = 1e-4;
          const difference = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
          expect(Math.abs(found - difference), `${name}: ${steps.join()}, ${k}`).toBeLessThan(
            1e-6 * Math.max(1, Math.abs(difference)),
          );
        }
      }
    sim.dispose();
  });
});
