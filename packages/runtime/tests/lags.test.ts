import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, ndrange, range } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const N = 150;
const { x, y, d } = fields('i32', i, ['x', 'y', 'd']);
const { a, b, c } = fields('i32', ij, ['a', 'b', 'c']);
const scope = { N };

/* Where an index leads out of a field, nothing is read, and nothing is written. */
const kernels = {
  lag: kernel([x, y, 'i32'], { scope }, (x, y, lag: number) => {
    for (const t of range(N)) y[t] = 3 * x[t] + x[t - lag];
  }),
  ahead: kernel([x, y, 'i32', 'i32', 'i32'], { scope }, (x, y, from: number, to: number, lag: number) => {
    for (const t of range(from, to)) y[t] = x[t + lag] - x[lag - t];
  }),
  knapsack: kernel([d, 'i32', 'i32'], { scope }, (d, w: number, v: number) => {
    for (let c = N - 1; c >= w; c--) d[c] = Math.max(d[c], d[c - w] + v);
  }),
  shifted: kernel([a, b, 'i32', 'i32'], { scope }, (a, b, di: number, dj: number) => {
    for (const [i, j] of ndrange(N, N)) b[i][j] = a[i + di][j + dj];
  }),
  clamped: kernel([x, y, 'i32'], { scope }, (x, y, lag: number) => {
    for (const t of range(N)) y[t] = x[Math.min(t, 5) + lag] - x[lag - Math.max(t - 3, 2)];
  }),
  columns: kernel([a, c], { scope }, (a, c) => {
    for (const j of range(N)) {
      let [above, below, crossed] = [0, 0, 0];
      for (let i = 0; i <= j; i++) above += a[i][j];
      for (let i = j; i < N; i++) below = Math.max(below, a[i][j]);
      for (let i = 0; i < N - j; i++) crossed += i * a[i][j];
      c[0][j] = above;
      c[1][j] = below;
      c[2][j] = crossed;
    }
  }),
};

const LEAST = -2147483648;
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

describe.each([['wasm', () => wasm()] as const, ...(hasCompiler ? [['cpp', () => cpp()] as const] : [])])(
  'indices at a distance on %s',
  (_, backend) => {
    it.each([1, 2])('are what they are in plain TypeScript, and nothing outside, %d threads', async (threads) => {
      const sim = await made(
        program({
          layout: layout(dense(i, N).place(x), dense(i, N).place(y), dense(i, N).place(d), dense(ij, N).place(a, b, c)),
          kernels,
          backend: backend(),
          threads,
        }),
      );
      try {
        const X = Array.from({ length: N }, (_, t) => ((t * 37) % 101) + 1);
        const A = Array.from({ length: N * N }, (_, q) => ((q * 7919) % 211) + 1);
        sim.field(x).fromArray(X);
        sim.field(a).fromArray(A);
        const at = (t: number): number => X[t | 0] ?? 0;
        for (const lag of [
          0,
          1,
          -1,
          7,
          -40,
          N - 1,
          N,
          N + 5,
          -N,
          100_000,
          LEAST,
          LEAST + 3,
          -(LEAST + 1),
          -(LEAST + 5),
        ]) {
          sim.run.lag(lag);
          expect([...sim.field(y).toArray()]).toEqual(X.map((v, t) => 3 * v + at(t - lag)));
          sim.field(y).fromArray(X);
          sim.run.ahead(-3, N + 4, lag);
          expect([...sim.field(y).toArray()]).toEqual(X.map((_, t) => at(t + lag) - at(lag - t)));
          sim.run.clamped(lag);
          expect([...sim.field(y).toArray()]).toEqual(
            X.map((_, t) => at(Math.min(t, 5) + lag) - at(lag - Math.max(t - 3, 2))),
          );
        }
        for (const w of [1, 7, 60, N - 1, N, 100_000, 0, -3]) {
          const D = X.map((v) => v);
          sim.field(d).fromArray(D);
          sim.run.knapsack(w, 5);
          for (let c = N - 1; c >= Math.max(w, 0); c--) D[c] = Math.max(D[c], (D[c - w] ?? 0) + 5);
          expect([...sim.field(d).toArray()]).toEqual(D);
        }
        for (const [di, dj] of [
          [0, 0],
          [3, -5],
          [-N, 2],
          [N - 1, N - 1],
          [1, LEAST],
          [LEAST, -1],
          [-2, -(LEAST + 1)],
        ] as const) {
          sim.run.shifted(di, dj);
          const inside = (n: number): boolean => (n | 0) >= 0 && (n | 0) < N;
          const shifted = A.map((_, q) => {
            const [i, j] = [Math.floor(q / N) + di, (q % N) + dj];
            return inside(i) && inside(j) ? A[(i | 0) * N + (j | 0)] : 0;
          });
          expect([...sim.field(b).toArray()]).toEqual(shifted);
        }
        sim.run.columns();
        const column = (j: number): number[] => X.map((_, i) => A[i * N + j]);
        const sum = (of: readonly number[]): number => of.reduce((s, v) => s + v, 0);
        const columns = X.map((_, j) => column(j));
        expect([...sim.field(c).toArray()].slice(0, 3 * N)).toEqual([
          ...columns.map((v, j) => sum(v.slice(0, j + 1))),
          ...columns.map((v, j) => Math.max(...v.slice(j))),
          ...columns.map((v, j) => sum(v.slice(0, N - j).map((w, i) => i * w))),
        ]);
      } finally {
        sim.dispose();
      }
    });
  },
);
