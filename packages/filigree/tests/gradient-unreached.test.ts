import { dense, fields, i, i32, kernel, layout, program, range, valueAndGradient, type KernelDef } from 'filigree';
import { describe, expect, it } from 'vitest';

const { x, y, loss } = fields('f64', i, ['x', 'y', 'loss']);

const kernels: Readonly<Record<string, KernelDef>> = {
  oneArm: kernel([x, y, loss], (x, y, loss) => {
    for (const p of range(4)) {
      const r = x[p] ** 0.5;
      if (x[p] > 0) loss[0] += r * y[p];
    }
  }),
  chain: kernel([x, y, loss], (x, y, loss) => {
    for (const p of range(4)) {
      const r = (1 / x[p]) * y[p];
      const s = Math.log(x[p]) * r;
      if (x[p] > 0) loss[0] += s;
      if (x[p] > 1) loss[0] += 2 * s;
    }
  }),
  yielded: kernel([x, y, loss], (x, y, loss) => {
    for (const p of range(4)) {
      let r = y[p];
      if (y[p] > 0) r = Math.log(x[p]);
      const s = x[p] > 0 ? r : y[p];
      loss[0] += s;
    }
  }),
  chosen: kernel([x, y, loss], (x, y, loss) => {
    for (const p of range(4)) {
      const r = y[p] / x[p];
      loss[0] += x[p] > 0 ? r : y[p];
    }
  }),
  noIterations: kernel([x, y, loss], (x, y, loss) => {
    for (const p of range(4)) {
      const r = y[p] / x[p];
      for (const _ of range(i32(Math.floor(x[p])))) loss[0] += r;
    }
  }),
  ahead: kernel([x, y, loss], (x, y, loss) => {
    const r = y[0] / x[0];
    for (const p of range(4)) if (x[0] > p) loss[0] += r;
  }),
};

const expected: Readonly<Record<string, (x: number, y: number) => readonly [number, number]>> = {
  oneArm: (x, y) => (x > 0 ? [(0.5 * y) / Math.sqrt(x), Math.sqrt(x)] : [0, 0]),
  chain: (x, y) => {
    const w = x > 1 ? 3 : x > 0 ? 1 : 0;
    return w === 0 ? [0, 0] : [(w * y * (1 - Math.log(x))) / x ** 2, (w * Math.log(x)) / x];
  },
  yielded: (x, y) => (x > 0 ? (y > 0 ? [1 / x, 0] : [0, 1]) : [0, 1]),
  chosen: (x, y) => (x > 0 ? [-y / x ** 2, 1 / x] : [0, 1]),
  noIterations: (x, y) => (x >= 1 ? [(-y * Math.floor(x)) / x ** 2, Math.floor(x) / x] : [0, 0]),
};

describe('what is computed for an arm that is not taken', () => {
  it.each(['cpp', 'wasm'] as const)(
    'gives its operands no gradient, also where it is no number, on %s',
    async (backend) => {
      const sim = await program({
        layout: layout(dense(i, 4).place(x, y), dense(i, 1).place(loss)),
        kernels,
        backend,
        differentiate: [x, y, loss],
      });
      const gradient = (name: string, xs: readonly number[], ys: readonly number[]): readonly (readonly number[])[] => {
        xs.forEach((v, p) => sim.field(x).set(p, v));
        ys.forEach((v, p) => sim.field(y).set(p, v));
        sim.field(loss).set(0, 0);
        const run = sim.run as Readonly<Record<string, () => void>>;
        const { gradient: g } = valueAndGradient(sim, () => run[name](), { loss, wrt: { x, y } });
        return xs.map((_, p) => [g.x.get(p), g.y.get(p)]);
      };
      const [xs, ys] = [
        [0, -1, 0.25, 2.5],
        [3, -0.5, 2, 1.5],
      ];
      for (const [name, by] of Object.entries(expected))
        gradient(name, xs, ys).forEach((got, p) =>
          by(xs[p], ys[p]).forEach((want, n) => expect(got[n], `${name} at ${xs[p]}`).toBeCloseTo(want, 12)),
        );
      expect(gradient('ahead', xs, ys)[0]).toEqual([0, 0]);
      sim.dispose();
    },
  );
});
