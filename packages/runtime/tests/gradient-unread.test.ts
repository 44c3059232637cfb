import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { kernel, range } from '@filigree/lang/kernels';
import { hostStep, program, steps, valueAndGradient } from '@filigree/runtime';
import { adjointField } from '@filigree/autodiff/fields';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const { m, inverse, x, next, loss, other } = fields('f64', i, ['m', 'inverse', 'x', 'next', 'loss', 'other']);
const tree = layout(dense(i, 3).place(m, inverse, x, next), dense(i, 1).place(loss, other));
const kernels = {
  invert: kernel([m, inverse, 'f64'], (m, inverse, by) => {
    for (const p of range(3)) inverse[p] = by / m[p];
  }),
  move: kernel([m, x, next], (m, x, next) => {
    for (const p of range(3)) next[p] = x[p] + 0.1 * x[p] * m[p];
  }),
  wipe: kernel([next], (next) => {
    for (const p of range(3)) next[p] = 0.0;
  }),
  bend: kernel([m, x], (m, x) => {
    for (const p of range(3)) x[p] += 0.1 * x[p] * m[p];
  }),
  sum: kernel([x, next], (x, next) => {
    for (const p of range(3)) next[p] += 0.3 * x[p];
  }),
  use: kernel([x, next], (x, next) => {
    for (const p of range(3)) x[p] += next[p];
  }),
  take: kernel([x, next], (x, next) => {
    for (const p of range(3)) x[p] = next[p];
  }),
  total: kernel([x, loss], (x, loss) => {
    for (const p of range(3)) loss[0] += x[p] * x[p];
  }),
  spread: kernel([inverse, other], (inverse, other) => {
    for (const p of range(3)) other[0] += inverse[p] * inverse[p];
  }),
};

describe.each([
  ['cpp', cpp],
  ['wasm', wasm],
])('what a launch writes and nothing that the loss follows from reads, on %s', (_, backend) => {
  const opened = async () => {
    const made = await program({ layout: tree, kernels, differentiate: true, backend: backend() })();
    if (E.isLeft(made)) throw new DiagnosticError(made.left);
    return made.right;
  };

  it('gives nothing to what it was made of, however steep', async () => {
    const sim = await opened();
    const begin = (): void => {
      for (const p of range(3)) {
        sim.field(m).set(p, p);
        sim.field(x).set(p, 1 + p);
      }
      sim.field(loss).set(0, 0);
      sim.field(other).set(0, 0);
    };
    const inPlace = (): void => {
      for (const _ of range(2)) {
        sim.run.bend();
        sim.run.wipe();
        sim.run.sum();
        sim.run.invert(2);
        sim.run.use();
      }
      sim.run.total();
      sim.run.spread();
    };
    let grown = 1;
    const ofMass = (at: number, m: number): number => (at * (grown * (1 + 0.1 * m)) ** 2) ** 2;
    const inSteps = (): void => {
      steps(sim, 2, () => (sim.run.move(), sim.run.invert(2), sim.run.take()), { state: [x, next], keep: 1 });
      sim.run.total();
      sim.run.spread();
    };
    for (const forward of [inPlace, inPlace, inPlace, inSteps]) {
      grown = forward === inSteps ? 1 : 1.3;
      begin();
      const { gradient, byArgument } = valueAndGradient(sim, forward, { loss, wrt: { m, x } });
      for (const p of range(3)) {
        const d = 1e-6;
        expect(gradient.m.get(p)).toBeCloseTo((ofMass(1 + p, p + d) - ofMass(1 + p, p - d)) / (2 * d), 6);
        expect(gradient.x.get(p)).toBeCloseTo((ofMass(1 + p + d, p) - ofMass(1 + p - d, p)) / (2 * d), 6);
      }
      expect(byArgument.invert.by).toBe(0);
    }
    /* The same launches, of which another number is asked. */
    begin();
    sim.field(m).set(0, 4);
    const { gradient, byArgument } = valueAndGradient(sim, inPlace, { loss: other, wrt: { m } });
    for (const p of range(3)) expect(gradient.m.get(p)).toBeCloseTo(-8 / (p === 0 ? 4 : p) ** 3, 9);
    expect(byArgument.invert.by).toBeCloseTo(4 * (1 / 16 + 1 + 1 / 4), 9);
    sim.dispose();
  });

  it('unless a step of the host reads it', async () => {
    const sim = await opened();
    for (const p of range(3)) sim.field(m).set(p, 1 + p);
    const forward = (): void => {
      sim.run.invert(3);
      hostStep(sim, {
        reads: [inverse],
        writes: [loss],
        forward: () => sim.field(loss).set(0, 5 * sim.field(inverse).get(1)),
        backward: () => {
          const by = sim.field(adjointField(inverse));
          by.set(1, by.get(1) + 5 * sim.field(adjointField(loss)).get(0));
        },
      });
    };
    const { gradient, byArgument } = valueAndGradient(sim, forward, { loss, wrt: { m } });
    expect(gradient.m.get(1)).toBeCloseTo(-15 / 4, 12);
    expect(byArgument.invert.by).toBeCloseTo(5 / 2, 12);
    sim.dispose();
  });
});
