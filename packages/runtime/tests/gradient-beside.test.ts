import { adjoint, withGradients } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, kernel, lowerKernels, range, type KernelDef } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, ij, layout, layoutTree } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* What is changed in place beside an argument: rows that are not that of the pivot, and halves of which one is read. */
const N = 8;
const { A, start } = fields('f64', ij, ['A', 'start']);
const { x, begin, loss } = fields('f64', i, ['x', 'begin', 'loss']);
const tree = layout(dense(ij, N).place(A, start), dense(i, 2 * N).place(x, begin), dense(i, 1).place(loss));
const reset = kernel([A, start, x, begin, loss], (A, start, x, begin, loss) => {
  loss[0] = 0.0;
  for (const [r, q] of active(A)) A[r][q] = start[r][q];
  for (const p of active(x)) x[p] = begin[p];
});
const total = kernel([A, x, loss], (A, x, loss) => {
  for (const [r, q] of active(A)) loss[0] += A[r][q] ** 2 * (1 + 0.1 * r - 0.05 * q);
  for (const p of active(x)) loss[0] += x[p] ** 2 * (1 + 0.1 * p);
});
const scope = { scope: { N } };
const kernels: Readonly<Record<string, KernelDef>> = {
  'elimination below a pivot': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(k + 1, N)) {
      const f = A[r][k] / A[k][k];
      for (const q of range(N)) A[r][q] -= f * A[k][q];
    }
  }),
  'elimination in a branch': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(N))
      if (k < r) {
        const f = A[r][k] / A[k][k];
        for (const q of range(N)) A[r][q] -= f * A[k][q];
      }
  }),
  'all rows but that of the pivot': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(N))
      if (r !== k) {
        const f = A[r][k] / A[k][k];
        for (const q of range(N)) A[r][q] -= f * A[k][q];
      }
  }),
  'rows before it': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(k)) {
      const f = A[r][k] / A[k][k];
      for (const q of range(N)) A[r][q] -= f * A[k][q];
    }
  }),
  'a half by the other': kernel([x, 'i32'], (x, n) => {
    for (const p of range(n)) x[p] = x[p + n] * x[p] * x[p];
  }),
};
const refused: Readonly<Record<string, KernelDef>> = {
  'of rows that may be that of the pivot': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(k, N)) {
      const f = A[r][k] / A[k][k];
      for (const q of range(N)) A[r][q] -= f * A[k][q];
    }
  }),
  'of another row than that which it is not': kernel([A, 'i32'], scope, (A, k) => {
    for (const r of range(N)) {
      if (r !== k) for (const q of range(N)) A[r][q] *= A[k + 1][q];
    }
  }),
  'of halves that overlap': kernel([x, 'i32'], (x, n) => {
    for (const p of range(n + 1)) x[p] = x[p + n] * x[p];
  }),
  'of a distance that is no argument': kernel([x, 'i32'], (x, n) => {
    for (const p of range(n)) x[p] = x[p + 8] * x[p];
  }),
  'where one of two is not it': kernel([A, 'i32', 'i32'], scope, (A, k, m) => {
    for (const r of range(N)) if (r !== Math.max(k, m)) for (const q of range(N)) A[r][q] *= A[k][q];
  }),
};

const at = (k: number, isHalf: boolean): readonly number[] => (isHalf ? [k] : [Math.floor(k / N), k % N]);

describe('gradients of what is changed in place beside an argument', () => {
  it.each([
    ['cpp', cpp(), 2],
    ['wasm', wasm(), 1],
  ] as const)('are those of differences: %s', async (_, backend, threads) => {
    const numbered = Object.fromEntries(Object.values(kernels).map((f, n) => [`f${n}`, f]));
    const sim = await made(
      program({ layout: tree, kernels: { ...numbered, reset, total }, differentiate: true, backend, threads }),
    );
    const run = sim.run as unknown as Readonly<Record<string, (...args: readonly number[]) => void>>;
    for (let k = 0; k < N * N; k++) sim.field(start).set(at(k, false), 1.3 + Math.sin(2 * k));
    for (let k = 0; k < 2 * N; k++) sim.field(begin).set([k], 0.6 + 0.3 * Math.sin(3 * k));
    for (const [n, name] of Object.keys(kernels).entries()) {
      const isHalf = name.includes('half');
      const field = isHalf ? begin : start;
      /* Once, and one after the other. */
      for (const steps of [[0], [3], [N - 1], [0, 1, 2], [N + 3], [-1]]) {
        const forward = (): void => {
          run.reset();
          for (const k of steps) run[`f${n}`](k);
          run.total();
        };
        const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { field } });
        const places = Array.from({ length: isHalf ? 2 * N : N * N }, (_, k) => k).filter((k) => isHalf || k % 5 < 2);
        const found = places.map((k) => Number(gradient.field.get(at(k, isHalf) as never)));
        const differences = places.map((k) => {
          const here = Number(sim.field(field).get(at(k, isHalf)));
          const along = (t: number): number => {
            sim.field(field).set(at(k, isHalf), here + t);
            forward();
            sim.field(field).set(at(k, isHalf), here);
            return Number(sim.field(loss).get(0));
          };
          const h = 1e-4;
          return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
        });
        const scale = Math.max(1, ...differences.map(Math.abs));
        const off = found.filter((g, k) => !(Math.abs(g - differences[k]) < 1e-6 * scale));
        if (!differences.some(Number.isNaN)) expect(off, `${name}: ${steps.join()}`).toEqual([]);
      }
    }
    sim.dispose();
  });

  const { layout: withAdjoints, adjoints } = withGradients(tree);
  const codeOf = (f: KernelDef): string => {
    const lowered = lowerKernels({ f }, tree, 'm', [], { derivatives: true, debug: false });
    if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
    try {
      adjoint({ ...lowered.right.module, layout: layoutTree(withAdjoints) }, 'f', { adjoints });
      return 'none';
    } catch (e) {
      if (e instanceof DiagnosticError) return e.diagnostics[0].code;
      throw e;
    }
  };
  it.each(Object.keys(refused))('are refused %s', (name) => {
    expect(codeOf(refused[name])).toBe('adjoint/overwritten');
  });
});

it('a loop up to an argument that reads what loops before it changed has a gradient', async () => {
  const { u, v, w } = fields('f64', i, ['u', 'v', 'w']);
  const f = kernel([u, v, w, loss, 'i32'], (u, v, w, loss, n) => {
    for (const p of range(9)) u[p] *= v[p];
    for (const p of range(16)) v[p] += w[p] * u[p];
    for (const p of range(n)) loss[0] += u[p] * u[p];
  });
  const sim = await made(
    program({
      layout: layout(dense(i, 16).place(u, v, w), dense(i, 1).place(loss)),
      kernels: { f },
      differentiate: true,
      backend: wasm(),
    }),
  );
  const from = (k: number): Float64Array => Float64Array.from({ length: 16 }, (_, p) => Math.sin(k + 1.7 * p));
  sim.field(u).fromArray(from(1));
  sim.field(v).fromArray(from(2));
  sim.field(w).fromArray(from(3));
  const { gradient } = valueAndGradient(sim, () => void sim.run.f(12), { loss, wrt: { u, v } });
  const [x, y] = [from(1), from(2)];
  /* loss = Σ (u·v)² of the first nine, and Σ u² of three more. */
  for (let p = 0; p < 16; p++) {
    expect(Number(gradient.u.get(p))).toBeCloseTo(p < 9 ? 2 * x[p] * y[p] ** 2 : p < 12 ? 2 * x[p] : 0, 12);
    expect(Number(gradient.v.get(p))).toBeCloseTo(p < 9 ? 2 * x[p] ** 2 * y[p] : 0, 12);
  }
  sim.dispose();
});
