import { adjoint, withGradients } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { printKernel } from '@filigree/ir';
import { active, kernel, lowerKernels, ndrange, type KernelDef } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout, layoutTree } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

/* Stencils whose branches say where neighbours are: their adjoints gather what neighbours add, as those of loops over a box do. */
const [N, M] = [66, 20];
const { u, w, v } = fields('f64', ij, ['u', 'w', 'v']);
const { loss } = fields('f64', i, ['loss']);
const scope = { scope: { N, M } };
const stencils: Readonly<Record<string, KernelDef>> = {
  'a box in a branch': kernel([u, w, v, loss], scope, (u, w, v, loss) => {
    for (const [i, j] of active(u))
      if (i >= 2 && i < N - 2 && j > 0 && M - 1 > j) v[i][j] = u[i - 2][j] * u[i + 1][j - 1] + w[i][j + 1] * w[i][j];
    for (const [i, j] of active(v)) loss[0] += v[i][j] * v[i][j] * (1 + 0.1 * i - 0.05 * j);
  }),
  'what is passed over': kernel([u, w, v, loss], scope, (u, w, v, loss) => {
    for (const [i, j] of ndrange(N, M)) {
      if (i < 1 || j < 1 || i >= N - 1 || j >= M - 1) continue;
      v[i][j] += w[i][j] * Math.sin(u[i + 1][j]) * u[i - 1][j];
    }
    for (const [i, j] of active(v)) loss[0] += v[i][j] * v[i][j] * (1 + 0.1 * i - 0.05 * j);
  }),
  'both arms': kernel([u, w, v, loss], scope, (u, w, v, loss) => {
    for (const [i, j] of active(u)) {
      if (i > 0 && j < M - 1) v[i][j] = u[i - 1][j + 1] * w[i][j];
      else v[i][j] = 0.5 * u[i][j] * u[i][j];
    }
    for (const [i, j] of active(v)) loss[0] += v[i][j] * v[i][j] * (1 + 0.1 * i - 0.05 * j);
  }),
  'neighbours that may not be there': kernel([u, w, v, loss], scope, (u, w, v, loss) => {
    for (const [i, j] of active(u)) {
      const left = i > 0 ? u[i - 1][j] : u[i][j];
      const right = i < N - 1 ? u[i + 1][j] : 0;
      const below = u[i]?.[j - 1] ?? w[i][j];
      v[i][j] = (left + right * below) / (1 + w[i][j] * w[i][j]);
    }
    for (const [i, j] of active(v)) loss[0] += v[i][j] * v[i][j] * (1 + 0.1 * i - 0.05 * j);
  }),
  'branches by values within a box': kernel([u, w, v, loss], scope, (u, w, v, loss) => {
    for (const [i, j] of active(u)) {
      if (i === 0 || j === 0) continue;
      const c = u[i - 1][j] * w[i][j - 1];
      if (c > 0.2) v[i][j] = c * c + u[i][j - 1];
      else v[i][j] += 0.3 * c;
    }
    for (const [i, j] of active(v)) loss[0] += v[i][j] * v[i][j] * (1 + 0.1 * i - 0.05 * j);
  }),
};
const tree = layout(dense(ij, [N, M]).place(u, w, v), dense(i, 1).place(loss));
const reset = kernel([v, loss], (v, loss) => {
  loss[0] = 0.0;
  for (const [i, j] of active(v)) v[i][j] = 0.4 + 0.001 * i * j;
});
const places = [[0, 0], [0, 7], [1, 1], [2, 1], [5, 9], [8, 18], [9, 19], [63, 4], [64, 18], [65, 0], [65, 19]]; // prettier-ignore
const values = [u, w].flatMap((field, n) => places.map((at, k) => [field, at, 0.6 + 0.3 * Math.sin(3 * k + n)] as const)); // prettier-ignore

describe('adjoints of stencils in branches', () => {
  for (const [name, f] of Object.entries(stencils)) {
    it.each([
      ['cpp', cpp(), 2],
      ['wasm', wasm(), 1],
    ] as const)(`are those of differences: ${name}, %s`, async (_name, backend, threads) => {
      await checkGradient({ layout: tree, f, reset, loss, values, backend, threads });
    });

    it(`gather what neighbours add: ${name}`, () => {
      const { layout: withAdjoints, adjoints } = withGradients(tree);
      const lowered = lowerKernels({ f }, tree, 'm', [], { derivatives: true, debug: false });
      if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
      const module = { ...lowered.right.module, layout: layoutTree(withAdjoints) };
      const code = (gather: boolean): string => printKernel(adjoint(module, 'f', { adjoints, gather }).kernel);
      expect(code(false)).toContain('field.atomic');
      expect(code(true)).not.toContain('field.atomic');
    });
  }
});
