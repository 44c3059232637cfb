import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, kernel, math, ndrange, range } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

/* Layers of a network, the second with weights by inputs: rows that are no whole vectors, and such that are. */
const [N, K, H, O] = [5, 12, 16, 9];
const { x, v, w, y, z } = fields('f64', ij, ['x', 'v', 'w', 'y', 'z']);
const { a, b, loss } = fields('f64', i, ['a', 'b', 'loss']);

const tree = layout(
  dense(ij, [N, K]).place(x),
  dense(ij, [H, K]).place(v),
  dense(ij, [H, O]).place(w),
  dense(ij, [N, H]).place(y),
  dense(ij, [N, O]).place(z),
  dense(i, H).place(a),
  dense(i, O).place(b),
  dense(i, 1).place(loss),
);

const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

const scope = { N, K, H, O };

const nested = kernel([x, v, w, y, z, a, b, loss], { scope }, (x, v, w, y, z, a, b, loss) => {
  for (const n of range(N))
    for (const h of range(H)) {
      let s = a[h];
      for (const k of range(K)) s += x[n][k] * v[h][k];
      y[n][h] = math.tanh(s);
    }
  for (const n of range(N))
    for (const o of range(O)) {
      let s = b[o];
      for (const h of range(H)) s += y[n][h] * w[h][o];
      z[n][o] = math.exp(s);
    }
  for (const n of range(N)) for (const o of range(O)) loss[0] += (z[n][o] - 0.1 * o) ** 2;
});

const pairs = kernel([x, v, w, y, z, a, b, loss], { scope }, (x, v, w, y, z, a, b, loss) => {
  for (const [n, h] of ndrange(N, H)) {
    let s = a[h];
    for (const k of range(K)) s += x[n][k] * v[h][k];
    y[n][h] = math.tanh(s);
  }
  for (const [n, o] of active(z)) {
    let s = b[o];
    for (const h of range(H)) s += y[n][h] * w[h][o];
    z[n][o] = math.exp(s);
    loss[0] += (z[n][o] - 0.1 * o) ** 2;
  }
});

const backends = {
  cpp: cpp(),
  'cpp, vectors of 32 bytes': cpp({ vectorBytes: 32 }),
  wasm: wasm(),
};

const usable: Record<string, boolean> = {};
for (const [name, backend] of Object.entries(backends)) usable[name] = (await backend.probe()).usable;

const at = (k: number): number => 0.3 * Math.sin(3 * k + 1);

const values = [
  ...[0, 7, 11].map((k) => [x, [2, k], at(k)] as const),
  ...[0, 7, 11].map((k) => [v, [5, k], at(k + 2)] as const),
  ...[0, 5, 8].map((o) => [w, [5, o], at(o + 3)] as const),
  [a, [5], at(4)] as const,
  ...[0, 8].map((o) => [b, [o], at(o + 5)] as const),
];

describe('gradients of layers of networks', () => {
  for (const [name, backend] of Object.entries(backends))
    it.skipIf(process.env['CI'] !== 'true' && !usable[name])(
      `are those that differences tell, on ${name}`,
      async () => {
        for (const f of [nested, pairs]) {
          const found = await checkGradient({
            layout: tree,
            f,
            reset,
            loss,
            values,
            backend,
            threads: name === 'cpp' ? 2 : 1,
          });
          expect(Object.values(found.gradient).every((g) => Number(g) !== 0)).toBe(true);
        }
      },
    );
});
