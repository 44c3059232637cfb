import { active, i32, kernel, ndrange, type Grid2 } from '@filigree/lang/kernels';
import { dense, fields, ij, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

const BLOCK = 16;

/* Between the four elements around a place, which is at least one element from the edges. */
const between = (q: Grid2, x: number, y: number) => {
  const i = i32(Math.floor(x));
  const j = i32(Math.floor(y));
  const [s, t] = [x - i, y - j];
  return (1 - s) * ((1 - t) * q[i][j] + t * q[i][j + 1]) + s * ((1 - t) * q[i + 1][j] + t * q[i + 1][j + 1]);
};

export const simpleAdvection: QueuedCase = {
  name: 'simple-advection',
  shows: 'ten semi-Lagrangian steps in a flow that turns, over a sparse grid',
  n: 512,
  multiple: BLOCK,
  most: 4096,
  steps: 5,
  rounding: 2e4,
  make: (n, float) => {
    const { q, r, u, v } = fields(float, ij, ['q', 'r', 'u', 'v']);
    const far = n - 2.01;
    const scope = { n, far, between };
    const move = (from: typeof q, to: typeof q, name: string) =>
      kernel([from, to, u, v], { float, scope, name }, (from, to, u, v) => {
        for (const [i, j] of active(u)) {
          const x = Math.min(Math.max(i - u[i][j], 1), far);
          const y = Math.min(Math.max(j - v[i][j], 1), far);
          to[i][j] = between(from, x, y);
        }
      });
    const flow = (i: number, j: number) => [(0.8 * (j - n / 2)) / n, (-0.8 * (i - n / 2)) / n] as const;
    return {
      layout: layout(
        dense(ij, n / BLOCK)
          .pointer()
          .fork(...[q, r, u, v].map((f) => dense(ij, BLOCK).place(f))),
      ),
      kernels: {
        init: kernel([q, u, v], { float, scope }, (q, u, v) => {
          for (const [i, j] of ndrange(n, n)) {
            q[i][j] = Math.sin(i / 9) + Math.cos(j / 7);
            u[i][j] = (0.8 * (j - n / 2)) / n;
            v[i][j] = (-0.8 * (i - n / 2)) / n;
          }
        }),
        there: move(q, r, 'there'),
        back: move(r, q, 'back'),
      },
      start: (run) => run.init(),
      step: (run) =>
        times(5, () => {
          run.there();
          run.back();
        }),
      reference: (steps) => {
        let q = filled(n * n, (k) => Math.sin(Math.floor(k / n) / 9) + Math.cos((k % n) / 7));
        let r = filled(n * n, () => 0);
        for (let s = 0; s < 10 * steps; s++) {
          for (let i = 0; i < n; i++)
            for (let j = 0; j < n; j++) {
              const [du, dv] = flow(i, j);
              const [x, y] = [i - du, j - dv].map((z) => Math.min(Math.max(z, 1), far));
              const [a, b] = [Math.floor(x), Math.floor(y)];
              const at = a * n + b;
              const row = (k: number): number => (1 - (y - b)) * q[k] + (y - b) * q[k + 1];
              r[i * n + j] = (1 - (x - a)) * row(at) + (x - a) * row(at + n);
            }
          [q, r] = [r, q];
        }
        return { q };
      },
    };
  },
};
