import { wasm } from '@filigree/backend-wasm';
import { active, kernel, vec } from '@filigree/lang/kernels';
import { fixed, int } from '@filigree/quant';
import { hessianProduct, program, valueAndTangent } from '@filigree/runtime';
import { bitStruct, dense, fields, i, layout, stored, vectorField } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, z, loss } = fields('f64', i, ['x', 'y', 'z', 'loss']);
const { kind } = fields('i32', i, ['kind']);
const edge = vectorField('edge', 'i32', 2, { axes: i });
const N = 8;

/* Numbers that are differentiated, and what else a particle has, in one word. */
describe('integers in the words of what has tangents', () => {
  const word = bitStruct(
    64,
    stored(x, fixed(24, 16)),
    stored(kind, int(6)),
    stored(edge, int(5)),
    stored(z, fixed(20, 16)),
  );
  const tree = layout(dense(i, N).pointer().place(word), dense(i, N).place(y), dense(i, 1).place(loss));
  const kernels = {
    set: kernel([x, y, kind, edge], (x, y, kind, edge) => {
      for (const p of active(y)) {
        x[p] = 2 * y[p] * y[p];
        kind[p] = y[p] > 0.5 ? 1 : 2;
        edge[p] = vec(p, 3);
      }
    }),
    count: kernel([kind, edge], (kind, edge) => {
      for (const p of active(kind)) {
        kind[(3 * p + 1) % 8] += 3;
        edge[p].x -= 1;
      }
    }),
    own: kernel([z], (z) => {
      for (const p of active(z)) z[p] = 1.5;
    }),
    total: kernel([x, kind, edge, loss], (x, kind, edge, loss) => {
      for (const p of active(x)) loss[0] += x[p] * x[p] * (kind[p] + edge[p].x);
    }),
  };
  const start = [0.25, 0.75, 1, 0, -0.5, 0.125, 0, 1.5];
  const factor = start.map((v, p) => (v > 0.5 ? 1 : 2) + 3 + p - 1);
  const forward = (run: { set: () => void; count: () => void; own: () => void; total: () => void }) => () => {
    run.set();
    run.count();
    run.own();
    run.total();
  };

  it.each([
    ['of all fields', true as const],
    ['of some', [x, y, loss]],
  ])('are written beside tangents %s', async (_, tangents) => {
    const sim = await made(program({ layout: tree, kernels, tangents, backend: wasm() }));
    sim.field(y).fromArray(start);
    const { value, tangent } = valueAndTangent(sim, forward(sim.run), {
      of: { x, loss },
      along: (t) => t(y).fill(1),
    });
    start.forEach((v, p) => expect(tangent.x.get(p)).toBe(4 * v));
    expect(value.loss.get(0)).toBeCloseTo(
      start.reduce((sum, v, p) => sum + 4 * v ** 4 * factor[p], 0),
      9,
    );
    expect(tangent.loss.get(0)).toBeCloseTo(
      start.reduce((sum, v, p) => sum + 16 * v ** 3 * factor[p], 0),
      9,
    );
    sim.dispose();
  });

  it('are written beside what is differentiated twice', async () => {
    const sim = await made(program({ layout: tree, kernels, hessianProducts: true, backend: wasm() }));
    sim.field(y).fromArray(start);
    const { gradient, product } = hessianProduct(sim, forward(sim.run), {
      loss,
      wrt: { y },
      along: (t) => t(y).fill(1),
    });
    start.forEach((v, p) => {
      expect(gradient.y.get(p)).toBeCloseTo(16 * v ** 3 * factor[p], 9);
      expect(product.y.get(p)).toBeCloseTo(48 * v ** 2 * factor[p], 9);
    });
    sim.dispose();
  });
});
