import { wasm } from '@filigree/backend-wasm';
import { active, kernel } from '@filigree/lang/kernels';
import { fixed, float } from '@filigree/quant';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { bitArray, bitStruct, dense, fields, i, layout, stored } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { a, b, c, d, loss } = fields('f64', i, ['a', 'b', 'c', 'd', 'loss']);

it('bit arrays in cells that come and go hold in the end what the last launch left', async () => {
  const bits = [c, d].map((f) => bitArray(i, 2, 64).place(stored(f, fixed(32, 8))));
  const sim = await made(
    program({
      layout: layout(
        dense(i, 4)
          .pointer()
          .fork(...bits),
        dense(i, 8).place(a, b),
        dense(i, 1).place(loss),
      ),
      kernels: {
        look: kernel([c, a], (c, a) => {
          for (const p of active(c)) a[p] += c[p];
        }),
        open: kernel([b, d], (b, d) => {
          for (const p of active(b)) d[p] = b[p] * b[p];
        }),
        bend: kernel([d], (d) => {
          for (const p of active(d)) d[p] = d[p] - 0.5 * d[p] * d[p];
        }),
        total: kernel([d, loss], (d, loss) => {
          for (const p of active(d)) loss[0] += d[p];
        }),
      },
      backend: wasm(),
      differentiate: true,
    }),
  );
  const start = [0.5, 0.25, 1, 0, 0, 0, 0, 2];
  sim.field(b).fromArray(start);
  sim.field(c).set(1, 1);
  const forward = (): void => {
    sim.run.look();
    sim.run.open();
    sim.run.bend();
    sim.run.total();
  };
  const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { b } });
  expect([...gradient.b.toArray()]).toEqual(start.map((x) => 2 * x * (1 - x * x)));
  expect([...sim.field(d).toArray()]).toEqual(start.map((x) => x * x - 0.5 * x ** 4));
  sim.dispose();
});

/* A number of 7 digits beside a larger one: what is written to one field rounds the other. */
describe('fields that share an exponent', () => {
  const shared = float(5, 7, { shared: 's' });
  const start = [0.5, 0.25, 0.30078125, 1.203125];
  const kernels = {
    square: kernel([a, c], (a, c) => {
      for (const p of active(a)) c[p] = a[p] * a[p];
    }),
    large: kernel([b, 'f64'], (b, to) => {
      for (const p of active(b)) b[p] = to;
    }),
    both: kernel([a, b, c, 'f64'], (a, b, c, to) => {
      for (const p of active(a)) {
        const x = a[p];
        b[p] = to;
        c[p] = x * x;
      }
    }),
    total: kernel([c, loss], (c, loss) => {
      loss[0] = 0.0;
      for (const p of active(c)) loss[0] += c[p];
    }),
  };
  const ready = async (where = dense(i, 4)) => {
    const word = bitStruct(32, stored(a, shared), stored(b, shared));
    const tree = layout(where.place(word), dense(i, 4).place(c), dense(i, 1).place(loss));
    const sim = await made(program({ layout: tree, kernels, backend: wasm(), differentiate: true }));
    start.forEach((x, p) => sim.field(a).set(p, x));
    return sim;
  };
  const gradientOf = (sim: Awaited<ReturnType<typeof ready>>, forward: () => void) =>
    [0, 1, 2, 3].map((p) => valueAndGradient(sim, forward, { loss, wrt: { a } }).gradient.a.get(p));
  const slope = start.map((x) => 2 * x);

  it.each([
    ['dense', () => dense(i, 4)],
    ['bitmasked', () => dense(i, 4).bitmasked()],
  ])('are derivatives of what was read, which is kept: %s', async (_name, where) => {
    const sim = await ready(where());
    const forward = (): void => {
      sim.run.both(100);
      sim.run.total();
    };
    const [{ gradient }, end] = [valueAndGradient(sim, forward, { loss, wrt: { a } }), [1, 0, 0, 1]];
    expect([0, 1, 2, 3].map((p) => gradient.a.get(p))).toEqual(slope);
    /* In the end all is as the launch left it. */
    expect([0, 1, 2, 3].map((p) => sim.field(a).get(p))).toEqual(end);
    expect([0, 1, 2, 3].map((p) => sim.field(b).get(p))).toEqual([100, 100, 100, 100]);
    sim.dispose();
  });

  it('are kept where a later launch rounds what is needed', async () => {
    const sim = await ready();
    const forward = (): void => {
      sim.run.square();
      sim.run.large(100);
      sim.run.total();
    };
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { a } });
    expect([0, 1, 2, 3].map((p) => gradient.a.get(p))).toEqual(slope);
    sim.dispose();
  });

  it.each(['all', 'root'] as const)(
    'are put back together in steps, of which the state names one: %s',
    async (keep) => {
      const sim = await ready();
      const found = gradientOf(sim, () => {
        steps(
          sim,
          4,
          () => {
            sim.run.square();
            sim.run.large(100);
          },
          { state: [b, c], keep },
        );
        sim.run.total();
      });
      /* The last step squares what the first has rounded; what was rounded has the derivative 1. */
      expect(found).toEqual([2, 0, 0, 2]);
      expect([...sim.field(a).toArray()]).toEqual(start);
      sim.dispose();
    },
  );
});
