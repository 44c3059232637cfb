import type { Backend } from '@filigree/backend';
import { wasm } from '@filigree/backend-wasm';
import { cpp } from '@filigree/backend-cpp';
import { active, append, atomicAdd, kernel, range, type KernelDef } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, hash, i, ij, j, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, loss, far } = fields('f64', i, ['x', 'y', 'loss', 'far']);
const { count } = fields('i32', i, ['count']);
const { held } = fields('f64', ij, ['held']);

const tree = layout(
  dense(i, 4).place(x, y, count),
  hash(i, 16).place(far),
  dense(i, 4).pointer().dynamic(j, 8).place(held),
  dense(i, 1).place(loss),
);

const total = kernel([y, held, loss], (y, held, loss) => {
  for (const p of range(4)) loss[0] += y[p] * y[p];
  for (const [p, q] of active(held)) loss[0] += held[p][q];
});

const errorOf = async (backend: Backend, f: KernelDef): Promise<DiagnosticError['diagnostics'][0]> => {
  const sim = await made(program({ layout: tree, kernels: { f, total }, backend, differentiate: true }));
  sim.field(x).fill(0.5);
  const run = sim.run as unknown as Readonly<Record<string, () => number>>;
  try {
    valueAndGradient(sim, () => void (run.f(), run.total()), { loss, wrt: { x } });
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  } finally {
    sim.dispose();
  }
  throw new Error('nothing was refused');
};

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))(
  'what has no derivative is refused: %s',
  (_name, backend) => {
    const appended = kernel([x, far, held], (x, far, held) => {
      for (const p of active(far)) for (const q of range(4)) append(held[q], x[q] * far[p]);
    });
    const counted = kernel([x, y, far, count], (x, y, far, count) => {
      for (const p of active(far)) for (const q of range(2)) y[atomicAdd(count, 0, 1)] = x[q] * far[p];
    });
    it.each([
      ['an index from append', 'adjoint/lost', appended, /the place in a list that an append has returned/],
      ['an index from an atomic', 'adjoint/lost', counted, /what an element held before an atomic update/],
    ])('%s', async (_what, code, f, message) => {
      const found = await errorOf(backend, f);
      expect(found.code).toBe(code);
      expect(found.message).toMatch(message);
      expect(found.loc?.line).toBeGreaterThan(0);
      expect(found.loc?.file).toMatch(/gradient-refused\.test\.ts$/);
      expect(found.frame).toMatch(/> +\d+ \| .*(append|atomicAdd)\(/);
      expect(found.remedy).toBeTruthy();
    });

    it('what is overwritten while it is needed, with both places', async () => {
      const substituted = kernel([x, y], (x, y) => {
        for (const p of range(3)) {
          y[p] = x[p];
          for (const _ of range(2)) y[p] = y[p + 1] * y[p + 1];
        }
      });
      const { code, message } = await errorOf(backend, substituted);
      expect(code).toBe('adjoint/overwritten');
      const place = String.raw`\(\S+gradient-refused\.test\.ts:\d+:\d+\)`;
      expect(message).toMatch(new RegExp(`as it was read ${place}, and what may be overwritten ${place}`));
    });

    it('a field in between that is not differentiated, unless nothing in it has a derivative', async () => {
      const { z } = fields('f64', i, ['z']);
      const between = layout(dense(i, 4).place(x, y, z), dense(i, 1).place(loss));
      const double = kernel([x, z], (x, z) => {
        for (const p of range(4)) z[p] = 2 * x[p];
      });
      const fixed = kernel([z], (z) => {
        for (const p of range(4)) z[p] = 1.5 + p;
      });
      const square = kernel([x, y, z], (x, y, z) => {
        for (const p of range(4)) y[p] = z[p] * z[p] + x[p];
      });
      const sumUp = kernel([y, loss], (y, loss) => {
        loss[0] = 0.0;
        for (const p of range(4)) loss[0] += y[p] * y[p];
      });
      const gradientOf = async (first: 'double' | 'fixed', differentiate: true | [typeof x, typeof y, typeof loss]) => {
        const kernels = { double, fixed, square, sumUp };
        const sim = await made(program({ layout: between, kernels, backend, differentiate }));
        [1, 2, 3, 4].forEach((v, p) => sim.field(x).set(p, v));
        try {
          const forward = (): void => (sim.run[first](), sim.run.square(), sim.run.sumUp());
          return valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x.get(1);
        } catch (e) {
          if (e instanceof DiagnosticError) return e.diagnostics[0].code;
          throw e;
        } finally {
          sim.dispose();
        }
      };
      /* Σ (4 x² + x)², and Σ (2.5² + x)². */
      expect(await gradientOf('double', true)).toBeCloseTo(2 * 18 * 17, 10);
      expect(await gradientOf('double', [x, y, loss])).toBe('adjoint/no-adjoint');
      expect(await gradientOf('fixed', [x, y, loss])).toBeCloseTo(2 * 8.25, 10);
    });

    it('no derivatives at all of a program that is made with false', async () => {
      const off = { differentiate: false, tangents: false, hessianProducts: false };
      const sim = await made(program({ layout: tree, kernels: { total }, backend, ...off }));
      sim.field(y).set(1, 3);
      sim.run.total();
      expect(sim.field(loss).get(0)).toBe(9);
      expect(() => valueAndGradient(sim, () => sim.run.total(), { loss, wrt: { y } })).toThrow(/differentiate: true/);
      sim.dispose();
    });

    it('a number that is returned to the host and passed back is a constant', async () => {
      const read = kernel([x], (x) => x[1] * 3);
      const scale = kernel([x, y, 'f64'], (x, y, by) => {
        for (const p of range(4)) y[p] = x[p] * by;
      });
      const sim = await made(program({ layout: tree, kernels: { read, scale, total }, backend, differentiate: true }));
      [1, 2, 3, 4].forEach((v, p) => sim.field(x).set(p, v));
      const found = valueAndGradient(
        sim,
        () => {
          sim.run.scale(sim.run.read());
          sim.run.total();
        },
        { loss, wrt: { x } },
      );
      /* By = 6: the derivative of Σ (6 x)² alone, and that by the number itself beside it. */
      expect([0, 1, 2, 3].map((p) => found.gradient.x.get(p))).toEqual([72, 144, 216, 288]);
      expect(found.byArgument.scale.by).toBe(2 * 6 * 30);
      sim.dispose();
    });
  },
);
