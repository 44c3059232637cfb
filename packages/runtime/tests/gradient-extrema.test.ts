import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { atomicMin, kernel, range, type KernelDef } from '@filigree/lang/kernels';
import { dense, field, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { checkGradient, made } from './gradient-check.js';
import { program, valueAndGradient, valueAndTangent } from '@filigree/runtime';

const { x, y, lo, loss } = fields('f64', i, ['x', 'y', 'lo', 'loss']);
const tree = layout(dense(i, 8).place(x, y), dense(i, 1).place(lo, loss));
const reset = kernel([lo, loss], (lo, loss) => {
  loss[0] = 0.0;
  lo[0] = 1e9;
});
const values = [0.4, -0.7, 1.3, 0.2, 2.1, -1.6, 0.9, 0.5].map((v, p) => [x, [p], v] as const);

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends: readonly (readonly [string, Backend])[] = [
  ['wasm', wasm()],
  ...(hasCompiler ? [['cpp', cpp()] as const] : []),
];

describe.each(backends)('extrema over parallel loops that variables hold, %s', (_name, backend) => {
  it.each<[string, KernelDef, readonly unknown[]]>([
    [
      'a maximum and a minimum, used by a later loop',
      kernel([x, y, loss], (x, y, loss) => {
        let high = -1e9;
        let low = 1e9;
        for (const p of range(8)) {
          high = Math.max(high, x[p] * x[p]);
          low = Math.min(low, Math.sin(x[p]));
        }
        for (const p of range(8)) y[p] = x[p] * high + low * low;
        for (const p of range(8)) loss[0] += y[p] * high * (p + 1);
      }),
      [],
    ],
    [
      'one that nothing needs',
      kernel([x, loss], (x, loss) => {
        let high = -1e9;
        for (const p of range(8)) high = Math.max(high, x[p]);
        high = Math.sin(high);
        for (const p of range(8)) loss[0] += x[p] * x[p] * (p + 1);
      }),
      [],
    ],
    [
      'one over two loops, in branches, from what is given',
      kernel([x, loss, 'f64'], (x, loss, c) => {
        let high = c * c;
        for (const p of range(4)) if (x[p] > 0) high = Math.max(high, x[p] * c);
        for (const p of range(4, 8)) high = Math.max(high, x[p] * x[p] * c);
        loss[0] += high * high + x[0];
      }),
      [0.7],
    ],
    [
      'one that is used, and found on',
      kernel([x, loss], (x, loss) => {
        let high = 0.0;
        for (const p of range(4)) high = Math.max(high, x[p]);
        const before = high * high;
        for (const p of range(4, 8)) high = Math.max(high, x[p]);
        loss[0] += before + 3 * high;
      }),
      [],
    ],
  ])('%s', async (_what, f, args) => {
    await checkGradient({ layout: tree, f, reset, loss, values, args, backend });
  });

  it('what is infinite and no extremum, or in an arm that is not taken, leaves no NaN', async () => {
    const f = kernel([x, y, lo, loss, 'f64'], (x, y, lo, loss, far) => {
      for (const p of range(8)) {
        atomicMin(lo, 0, 1 / Math.max(x[p], 0.0));
        const product = x[p] * y[p];
        const farther = far * x[p];
        if (y[p] < 5) loss[0] += product * product;
        if (x[p] > 99) loss[0] += farther;
      }
    });
    const total = kernel([lo, loss], (lo, loss) => {
      loss[0] += lo[0] * lo[0];
    });
    const sim = await made(
      program({ layout: tree, kernels: { f, reset, total }, differentiate: true, backend, fastMath: false }),
    );
    sim.field(x).fromArray([0, 1, 2, 0.5, 4, -1, 0, 0.25], { from: [0], to: [8] });
    sim.field(y).fromArray([Infinity, 1, 2, Infinity, 3, 1, 2, 0], { from: [0], to: [8] });
    const { gradient } = valueAndGradient(
      sim,
      () => {
        sim.run.reset();
        sim.run.f(Infinity);
        sim.run.total();
      },
      { loss, wrt: { x } },
    );
    expect(Array.from({ length: 8 }, (_, p) => gradient.x.get(p))).toEqual([0, 2, 16, 0, 72 - 2 / 64, -2, 0, 0]);
    sim.dispose();
  });

  /* Loops of their own find the value again, and compilers may contract sums of products in one of them and not in another. */
  it('are found again though compilers round otherwise', async () => {
    const [COUNT, FILLS] = [64, 40];
    const { u, best } = fields('f32', i, ['u', 'best']);
    const a = field('a', 'f32', { axes: ij });
    const f = kernel([a, u, best], { scope: { COUNT } }, (a, u, best) => {
      let high = -1e9;
      for (const p of range(COUNT)) high = Math.max(high, a[p][0] * u[p] + a[p][1] * a[p][2] - u[0] * a[p][3]);
      best[0] += high;
    });
    const clear = kernel([best], (best) => {
      best[0] = 0.0;
    });
    const sim = await made(
      program({
        layout: layout(dense(ij, [COUNT, 4]).place(a), dense(i, COUNT).place(u), dense(i, 1).place(best)),
        kernels: { f, clear },
        differentiate: true,
        tangents: true,
        backend,
      }),
    );
    const forward = (): void => {
      sim.run.clear();
      sim.run.f();
    };
    let seed = 3;
    const next = (): number => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5;
    const fill = (length: number): Float32Array => Float32Array.from({ length }, next);
    for (let n = 0; n < FILLS; n++) {
      const [rows, x] = [fill(4 * COUNT), fill(COUNT)];
      sim.field(a).fromArray(rows);
      sim.field(u).fromArray(x);
      const sumAt = (p: number): number =>
        rows[4 * p] * x[p] + rows[4 * p + 1] * rows[4 * p + 2] - x[0] * rows[4 * p + 3];
      const at = x.reduce((most, _, p) => (sumAt(p) > sumAt(most) ? p : most), 0);
      const expected = new Float32Array(COUNT);
      expected[at] += rows[4 * at];
      expected[0] -= rows[4 * at + 3];
      const { gradient } = valueAndGradient(sim, forward, { loss: best, wrt: { u } });
      expect(gradient.u.toArray()).toEqual(expected);
      const { tangent } = valueAndTangent(sim, forward, {
        of: { best },
        along: (t) => t(u).fromArray(new Float32Array(COUNT).fill(1)),
      });
      expect(tangent.best.get(0)).toBeCloseTo(rows[4 * at] - rows[4 * at + 3], 5);
    }
    sim.dispose();
  });

  /* 1.000005 is more than 1: where nothing rounds, or one operation in each arm, what is found again is what was found. */
  it('are told apart from what is a little less, though a branch or a loop makes them', async () => {
    const { best } = fields('f32', i, ['best']);
    const a = field('a', 'f32', { axes: ij });
    const byBranch = kernel([a, best], (a, best) => {
      let high = -1e9;
      for (const p of range(32)) {
        let s = 0.0;
        if (a[p][2] > 0) s = a[p][0] * a[p][1];
        else s = a[p][1];
        high = Math.max(high, s);
      }
      best[0] += high;
    });
    const byLoop = kernel([a, best], (a, best) => {
      let high = -1e9;
      for (const p of range(32)) {
        let s = -1e9;
        for (const k of range(2)) s = Math.max(s, a[p][k]);
        high = Math.max(high, s);
      }
      best[0] += high;
    });
    const clear = kernel([best], (best) => {
      best[0] = 0.0;
    });
    for (const f of [byBranch, byLoop]) {
      const sim = await made(
        program({
          layout: layout(dense(ij, [32, 3]).place(a), dense(i, 1).place(best)),
          kernels: { f, clear },
          differentiate: true,
          backend,
        }),
      );
      const forward = (): void => {
        sim.run.clear();
        sim.run.f();
      };
      for (let p = 0; p < 32; p++) [0.25, 0.5, 1].forEach((v, k) => sim.field(a).set([p, k], v));
      for (const [p, v] of [[5, 1], [9, 1 + 40 * 2 ** -23]] as const) [v, 1].forEach((x, k) => sim.field(a).set([p, k], x)); // prettier-ignore
      const { gradient } = valueAndGradient(sim, forward, { loss: best, wrt: { a } });
      expect(gradient.a.get([5, 0])).toBe(0);
      expect(gradient.a.get([9, 0])).toBe(1);
      sim.dispose();
    }
  });
});

describe('what a kernel finds in a variable, launched again and again', () => {
  it.each<[string, KernelDef]>([
    [
      'a maximum',
      kernel([x], (x) => {
        let high = 0.0;
        for (const p of range(8)) high = Math.max(high, Math.abs(x[p]));
        for (const p of range(8)) x[p] = Math.sin(x[p] / high);
      }),
    ],
    [
      'a sum',
      kernel([x], (x) => {
        let sum = 0.0;
        for (const p of range(8)) sum += x[p] * x[p];
        for (const p of range(8)) x[p] = x[p] / Math.sqrt(sum) + 0.1 * x[p] ** 2;
      }),
    ],
  ])('is found again for each derivative: %s', async (_name, f) => {
    const total = kernel([x, loss], (x, loss) => {
      for (const p of range(8)) loss[0] += x[p] * x[p] * (p + 1);
    });
    const sim = await made(program({ layout: tree, kernels: { f, total, reset }, backend: wasm(), differentiate: true })); // prettier-ignore
    const begin = (at: number, by: number): void => {
      for (const [, [p], value] of values) sim.field(x).set([p], value + (p === at ? by : 0));
      sim.run.reset();
    };
    const forward = (): void => {
      for (let t = 0; t < 3; t++) sim.run.f();
      sim.run.total();
    };
    const lossAt = (at: number, by: number): number => {
      begin(at, by);
      forward();
      return sim.field(loss).get(0);
    };
    begin(-1, 0);
    const gradient = valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x.toArray();
    for (let p = 0; p < 8; p++) {
      const expected = (8 * (lossAt(p, 1e-3) - lossAt(p, -1e-3)) - (lossAt(p, 2e-3) - lossAt(p, -2e-3))) / 12e-3;
      expect(Math.abs(gradient[p] - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
    }
    sim.dispose();
  });
});
