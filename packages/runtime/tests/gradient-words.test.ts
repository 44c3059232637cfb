import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, array, atomicMax, atomicMin, kernel, math } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { checkGradient, made } from './gradient-check.js';

const { x, low, high } = fields('f64', i, ['x', 'low', 'high']);
const { loss } = fields('f64', i, ['loss']);
const sparse = layout(
  dense(i, 4).pointer().dense(i, 2).place(x),
  dense(i, 2).place(low, high),
  dense(i, 1).place(loss),
);
const at = [0, 1, 4, 5];

const reset = kernel([loss, low, high], (loss, low, high) => {
  loss[0] = 0.0;
  for (const k of active(low)) {
    low[k] = 1e3;
    high[k] = -1e3;
  }
});
const extrema = kernel([x, low, high], (x, low, high) => {
  for (const p of active(x)) {
    atomicMin(low, p % 2, x[p] * x[p]);
    atomicMax(high, p % 2, math.sin(x[p]));
  }
});
const spread = kernel([low, high, loss], (low, high, loss) => {
  for (const k of active(low)) loss[0] += (high[k] - low[k]) * (high[k] + 3.0 * k);
});

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))('words that have derivatives: %s', (_name, backend) => {
  it('minima and maxima of many values', async () => {
    const sim = await made(
      program({ layout: sparse, kernels: { extrema, spread, reset }, backend, differentiate: true }),
    );
    const start = [0.3, -0.7, 1.2, 0.9];
    at.forEach((p, n) => sim.field(x).set([p], start[n]));
    const forward = (): void => {
      sim.run.reset();
      sim.run.extrema();
      sim.run.spread();
    };
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
    const found = at.map((p) => gradient.x.get([p]));
    /* low: 0.09 and 0.49; high: sin 1.2 and sin 0.9. */
    const [l0, l1, h0, h1] = [0.09, 0.49, Math.sin(1.2), Math.sin(0.9)];
    const expected = [
      -h0 * 2 * 0.3,
      -(h1 + 3) * 2 * -0.7,
      (2 * h0 - l0) * Math.cos(1.2),
      (2 * h1 + 3 - l1) * Math.cos(0.9),
    ];
    found.forEach((g, n) => expect(g).toBeCloseTo(expected[n], 12));
    /* Of equal values one takes all of it. */
    at.forEach((p) => sim.field(x).set([p], 1.2));
    const ties = valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x;
    const [a, b] = [h0, 1.44];
    const sum = (2 * a - b) * Math.cos(1.2) - a * 2.4;
    expect(ties.get([0]) + ties.get([4])).toBeCloseTo(sum, 12);
    expect(ties.get([1]) + ties.get([5])).toBeCloseTo(sum + 3 * Math.cos(1.2) - 3 * 2.4, 12);
    sim.dispose();
  });

  it('arrays and scalars that a launch is given, into cells that are active', async () => {
    const weighted = kernel([x, loss, array('f64', 8), 'f64'], (x, loss, weights, power) => {
      for (const p of active(x)) loss[0] += math.exp(power * x[p]) * weights[p % 3] * weights[0];
    });
    const zero = kernel([loss], (loss) => {
      loss[0] = 0.0;
    });
    const weights = Float64Array.of(0.5, -1.5, 2);
    const values = at.map((p) => [x, [p], 0.3 - 0.2 * p] as const);
    const f = { layout: sparse, f: weighted, reset: zero, loss, values, args: [weights, 0.7], backend };
    const { byArray, byArgument } = await checkGradient(f);
    const loads = (w: readonly number[], power: number): number => {
      let sum = 0;
      for (const p of at) sum += Math.exp(power * (0.3 - 0.2 * p)) * w[p % 3] * w[0];
      return sum;
    };
    const h = 1e-5;
    const by = byArray.f.weights;
    expect(by.length).toBe(8);
    [0, 1, 2].forEach((k) => {
      const moved = (t: number): number =>
        loads(
          [...weights].map((w, n) => (n === k ? w + t : w)),
          0.7,
        );
      expect(by[k]).toBeCloseTo((moved(h) - moved(-h)) / (2 * h), 7);
    });
    expect([...by.slice(3)]).toEqual([0, 0, 0, 0, 0]);
    expect(byArgument.f.power).toBeCloseTo((loads([...weights], 0.7 + h) - loads([...weights], 0.7 - h)) / (2 * h), 7);
  });
});

it('an extremum that is read while it is found is refused', async () => {
  const running = kernel([x, high, loss], (x, high, loss) => {
    for (const p of active(x)) {
      atomicMax(high, 0, x[p]);
      loss[0] += high[0];
    }
  });
  const sim = await made(program({ layout: sparse, kernels: { running }, backend: wasm(), differentiate: true }));
  const codes: string[] = [];
  try {
    valueAndGradient(sim, () => sim.run.running(), { loss, wrt: { x } });
  } catch (e) {
    if (e instanceof DiagnosticError) codes.push(e.diagnostics[0].code);
  }
  expect(codes).toEqual(['adjoint/extremum']);
  sim.dispose();
});
