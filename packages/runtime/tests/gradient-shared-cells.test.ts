import { wasm } from '@filigree/backend-wasm';
import { kernel, range } from '@filigree/lang/kernels';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout, type Layout } from '@filigree/sparse/fields';
import { expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* What launches overwrite is copied by words as it lies in memory: in a row, between others, in blocks, alone in its cells. */
const N = 192;
const { x, v, loss } = fields('f64', i, ['x', 'v', 'loss']);
const { a, b, c } = fields('f32', i, ['a', 'b', 'c']);

const step = kernel([x, v, a, b, c], (x, v, a, b, c) => {
  for (const p of range(192)) {
    v[p] = v[p] * 0.9 + Math.sin(x[p]) * 0.1;
    x[p] = x[p] * 0.95 + v[p] * v[p];
    a[p] = a[p] * b[p] + 0.1;
    b[p] = Math.cos(b[p]) * 0.5;
    c[p] = c[p] * 0.7 + a[p];
  }
});
const total = kernel([x, v, a, b, c, loss], (x, v, a, b, c, loss) => {
  loss[0] = 0.0;
  for (const p of range(192)) loss[0] += x[p] * v[p] + a[p] * b[p] * c[p];
});

const layouts: Readonly<Record<string, () => Layout>> = {
  'each for itself': () => layout(...[x, v, a, b, c].map((f) => dense(i, N).place(f)), dense(i, 1).place(loss)),
  'in the same cells': () => layout(dense(i, N).place(x, v, a, b, c), dense(i, 1).place(loss)),
  'in cells of two': () =>
    layout(dense(i, N).place(x, a), dense(i, N).place(b, v), dense(i, N).place(c), dense(i, 1).place(loss)),
  'in blocks': () => layout(...[x, v, a, b, c].map((f) => dense(i, 3).dense(i, 64).place(f)), dense(i, 1).place(loss)),
  'in small blocks': () =>
    layout(dense(i, 64).dense(i, 3).place(x, a), dense(i, 64).dense(i, 3).place(v, b, c), dense(i, 1).place(loss)),
};

const gradients = async (name: string): Promise<readonly number[]> => {
  const sim = await made(
    program({ layout: layouts[name](), kernels: { step, total }, differentiate: true, backend: wasm() }),
  );
  const { run, fields: own } = sim;
  for (let p = 0; p < N; p++) {
    own.x.set([p], Math.sin(p));
    own.v.set([p], Math.cos(3 * p));
    own.a.set([p], 0.5 + (p % 7) / 8);
    own.b.set([p], (p % 5) / 4 - 0.5);
    own.c.set([p], (p % 3) / 2);
  }
  const forward = (): void => {
    steps(sim, 6, () => void run.step(), { state: [x, v, a, b, c], keep: 'all' });
    run.total();
  };
  const { value, gradient } = valueAndGradient(sim, forward, { loss, wrt: { x, v, a, b, c } });
  const all = Object.values(gradient).flatMap((g) => Array.from({ length: N }, (_, p) => Number(g.get([p]))));
  sim.dispose();
  return [value, ...all];
};

it.each(Object.keys(layouts).slice(1))('has the gradient that fields have each for itself, %s', async (name) => {
  const expected = await gradients('each for itself');
  expect(expected.filter((g) => g !== 0).length).toBeGreaterThan(4 * N);
  const found = await gradients(name);
  expected.forEach((g, n) => expect(Math.abs(found[n] - g), String(n)).toBeLessThan(1e-5 * Math.max(1, Math.abs(g))));
});
