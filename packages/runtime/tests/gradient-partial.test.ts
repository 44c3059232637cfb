import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { kernel, range } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

/* Each kernel writes what the loss follows from, and beside it what is infinite or no number where `y` is 0. */
const { x, y, next, way, loss } = fields('f64', i, ['x', 'y', 'next', 'way', 'loss']);
const tree = layout(dense(i, 4).place(x, y, next, way), dense(i, 1).place(loss));
const kernels = {
  oneLine: kernel([x, y, next, way, 'f64'], (x, y, next, way, by) => {
    for (const p of range(4)) {
      const length = by * y[p];
      way[p] = (x[p] * Math.log(length)) / length;
      next[p] = x[p] * length;
    }
  }),
  inArm: kernel([x, y, next, way], (x, y, next, way) => {
    for (const p of range(4)) {
      let inverse = 0.0;
      if (x[p] > 0) inverse = 1 / y[p];
      way[p] = inverse * x[p];
      next[p] = 2 * x[p] * y[p];
    }
  }),
  inLoop: kernel([x, y, next, way], (x, y, next, way) => {
    for (const p of range(4)) {
      let power = x[p] / y[p];
      for (const _ of range(3)) power *= x[p];
      way[p] = power;
      next[p] = 2 * x[p] * y[p];
    }
  }),
  aroundLoop: kernel([x, y, next, way], (x, y, next, way) => {
    const ahead = x[0] / y[0];
    for (const p of range(4)) {
      way[p] = ahead * Math.acos(1 + y[p]);
      next[p] = 2 * x[p] * y[p];
    }
  }),
  inPlace: kernel([x, y, next, way], (x, y, next, way) => {
    for (const p of range(4)) {
      way[p] += Math.atan2(1, 1 / y[p]);
      next[p] = 2 * x[p] * y[p];
    }
  }),
  again: kernel([x, y, next, way], (x, y, next, way) => {
    for (const p of range(4)) way[p] = x[p] / (3 + y[p]);
    for (const p of range(4)) next[p] = 2 * way[3 - p];
  }),
  total: kernel([next, loss], (next, loss) => {
    for (const p of range(4)) loss[0] += next[p];
  }),
  average: kernel([way, loss], (way, loss) => {
    for (const p of range(4)) loss[0] += way[p];
  }),
};

describe.each([
  ['cpp', cpp],
  ['wasm', wasm],
])('a kernel of which the loss follows from one field alone, on %s', (_, backend) => {
  it.each(['oneLine', 'inArm', 'inLoop', 'aroundLoop', 'inPlace'] as const)(
    '%s: the other gives nothing',
    async (name) => {
      const made = await program({ layout: tree, kernels, differentiate: true, backend: backend() })();
      if (E.isLeft(made)) throw new DiagnosticError(made.left);
      const sim = made.right;
      const ys = [0, 1, 0, 2];
      const forward = (last: 'total' | 'average') => () => {
        if (name === 'oneLine') sim.run.oneLine(2);
        else sim.run[name]();
        sim.run[last]();
      };
      const begin = (): void => {
        ys.forEach((v, p) => (sim.field(x).set(p, 1 + p), sim.field(y).set(p, v), sim.field(way).set(p, 0)));
        sim.field(loss).set(0, 0);
      };
      /* The third time adjoints are launched as one list. */
      for (const _ of range(3)) {
        begin();
        const { gradient, byArgument } = valueAndGradient(sim, forward('total'), { loss, wrt: { x, y } });
        ys.forEach((v, p) => {
          expect(gradient.x.get(p)).toBe(2 * v);
          expect(gradient.y.get(p)).toBe(2 * (1 + p));
        });
        if (name === 'oneLine') expect(byArgument.oneLine.by).toBe(2 + 8);
      }
      /* What is no number is told where the loss follows from it. */
      begin();
      const { gradient } = valueAndGradient(sim, forward('average'), { loss, wrt: { x, y } });
      if (name !== 'inPlace') expect(gradient.y.get(0)).not.toBeCloseTo(2);
      expect(Number.isFinite(gradient.x.get(1))).toBe(true);
      sim.dispose();
    },
  );

  it('what such a kernel reads again of the other counts', async () => {
    const made = await program({ layout: tree, kernels, differentiate: true, backend: backend() })();
    if (E.isLeft(made)) throw new DiagnosticError(made.left);
    const sim = made.right;
    for (const p of range(4)) {
      sim.field(x).set(p, 1 + p);
      sim.field(y).set(p, p);
    }
    const { gradient } = valueAndGradient(sim, () => (sim.run.again(), sim.run.total()), { loss, wrt: { x, y } });
    for (const p of range(4)) {
      expect(gradient.x.get(p)).toBeCloseTo(2 / (3 + p), 14);
      expect(gradient.y.get(p)).toBeCloseTo((-2 * (1 + p)) / (3 + p) ** 2, 14);
    }
    sim.dispose();
  });
});
