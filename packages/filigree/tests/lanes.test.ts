import { active, dense, field, i, ij, kernel, layout, ndrange, program, range } from 'filigree';
import { describe, expect, it } from 'vitest';

const n = 64;
const [u, v] = [field('u', 'f32', { axes: ij }), field('v', 'f32', { axes: ij })];
const [x, y] = [field('x', 'f32', { axes: i }), field('y', 'f32', { axes: i })];
const kernels = {
  range: kernel([x, y], (x, y) => {
    for (const i of range(1000)) y[i] = Math.sqrt(x[i]);
  }),
  active1: kernel([x, y], (x, y) => {
    for (const i of active(x)) y[i] = Math.sqrt(x[i]);
  }),
  box: kernel([u, v], { scope: { n } }, (u, v) => {
    for (const [i, j] of ndrange([1, n - 1], [1, n - 1]))
      v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
  }),
  active2: kernel([u, v], (u, v) => {
    for (const [i, j] of active(u)) v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1] - 4 * u[i][j];
  }),
  short: kernel([u, v], { scope: { n } }, (u, v) => {
    for (const [i, j] of ndrange(n, n)) v[i][j] = 2 * u[i][j];
  }),
};

describe('vectors of WebAssembly', () => {
  it.each(Object.keys(kernels) as (keyof typeof kernels)[])(
    'a loop over neighbours stores whole ones: %s',
    async (name) => {
      const sim = await program({
        layout: layout(dense(ij, n).place(u), dense(ij, n).place(v), dense(i, 1000).place(x), dense(i, 1000).place(y)),
        kernels: { [name]: kernels[name] },
        backend: 'wasm',
      });
      expect(String(sim.instance.sources.files[0]!.contents)).toMatch(/v128\.store/);
      sim.fields.u!.fromArray(Float32Array.from({ length: n * n }, (_, k) => (k * 37) % 11));
      sim.fields.x!.fromArray(Float32Array.from({ length: 1000 }, (_, k) => k));
      sim.run[name]!();
      /* The same function on arrays of the host. */
      const rows = (m: number, f: (i: number, j: number) => number) =>
        Array.from({ length: m }, (_, i) => Array.from({ length: m }, (_, j) => f(i, j)));
      if (name === 'range' || name === 'active1') {
        for (let k = 0; k < 1000; k += 7) expect(sim.fields.y!.get([k])).toBeCloseTo(Math.sqrt(k), 5);
      } else {
        const plain = rows(n, (i, j) => ((i * n + j) * 37) % 11);
        for (const [i, j] of [
          [1, 1],
          [5, 62],
          [40, 33],
          [62, 61],
        ] as const) {
          const around = plain[i - 1]![j]! + plain[i + 1]![j]! + plain[i]![j - 1]! + plain[i]![j + 1]!;
          expect(sim.fields.v!.get([i, j])).toBe(name === 'short' ? 2 * plain[i]![j]! : around - 4 * plain[i]![j]!);
        }
      }
      sim.dispose();
    },
  );
});
