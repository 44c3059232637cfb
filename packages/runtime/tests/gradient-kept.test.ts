import { adjoint, withGradients } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { walk } from '@filigree/ir';
import { active, kernel, lowerKernels, ndrange, range, type KernelDef } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout, layoutTree } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

/* Losses of filters: what a sum over neighbours contributes is no sum, so that their adjoints follow from it for each neighbour. It is kept where to compute it again for each would take longer. */
const [L, N] = [64, 24];
const { a, b } = fields('f64', ij, ['a', 'b']);
const { x, y, w, loss } = fields('f64', i, ['x', 'y', 'w', 'loss']);
const tree = layout(dense(i, L).place(x, y), dense(ij, N).place(a, b), dense(i, 32).place(w), dense(i, 1).place(loss));
const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});
const scope = { scope: { L, N } };
const filters: Readonly<Record<string, KernelDef>> = {
  'weights along a line': kernel([x, w, loss], scope, (x, w, loss) => {
    for (const p of range(8, L - 8)) {
      let s = 0.0;
      for (const k of range(16)) s += w[k] * x[p + k - 8];
      loss[0] += s ** 2;
    }
  }),
  'three weights, written out': kernel([x, w, loss], scope, (x, w, loss) => {
    for (const p of range(1, L - 1)) loss[0] += (w[0] * x[p - 1] + w[1] * x[p] + w[2] * x[p + 1]) ** 2;
  }),
  'numbers, downwards': kernel([x, loss], scope, (x, loss) => {
    for (const p of range(9, L - 9)) {
      let s = 0.0;
      for (const k of range(-9, 9)) s += x[p - k] / (1 + k * k);
      loss[0] += Math.sin(s - x[p]);
    }
  }),
  'as far as an argument says': kernel([x, w, loss, 'i32'], scope, (x, w, loss, r) => {
    for (const p of range(8, L - 8)) {
      let s = 0.0;
      for (const k of range(-r, r + 1)) s += w[k + r] * x[p + k];
      loss[0] += s ** 2 * x[p];
    }
  }),
  'a plane': kernel([a, w, loss], scope, (a, w, loss) => {
    for (const [p, q] of ndrange([3, N - 3], [2, N - 2])) {
      let s = 0.0;
      for (const k of range(-2, 3)) for (const l of range(-2, 3)) s += w[k * k + l * l] * a[p + k][q + l];
      loss[0] += (s - a[p][q]) ** 2;
    }
  }),
  'two sums, of which one divides': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange([3, N - 3], [3, N - 3])) {
      let [s, n] = [0.0, 0.0];
      for (const k of range(-3, 4))
        for (const l of range(-3, 4)) {
          const d = a[p + k][q + l] - a[p][q];
          const e = Math.exp(-d * d);
          s += e * a[p + k][q + l];
          n += e;
        }
      loss[0] += (s / n) ** 2;
    }
  }),
  'three lines, of sines': kernel([x, loss], scope, (x, loss) => {
    for (const [k, p] of ndrange(3, 18)) loss[0] += Math.sin(x[20 * k + p + 1] - x[20 * k + p]) ** 2;
  }),
  'columns of a plane, of sines': kernel([a, loss], scope, (a, loss) => {
    for (const [k, p] of ndrange(3, N - 1)) loss[0] += Math.sin(a[k][p + 1] - a[k][p]) ** 2;
  }),
  'a plane, of roots': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange(N - 1, N - 1))
      loss[0] += Math.sqrt((a[p + 1][q] - a[p][q]) ** 2 + (a[p][q + 1] - a[p][q]) ** 2 + 1e-2);
  }),
  'a plane, of quotients': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange(N - 1, N - 1)) {
      const [d, e] = [a[p + 1][q] - a[p][q], a[p][q + 1] - a[p][q]];
      loss[0] += 1 / (1 + d * d + e * e);
    }
  }),
  'a plane, of sums of five': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange([1, N - 1], [1, N - 1]))
      loss[0] += (a[p - 1][q] + a[p + 1][q] + a[p][q - 1] + a[p][q + 1] - 4 * a[p][q]) ** 2;
  }),
  'a plane, of differences that are computed again': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange(N - 1, N - 1)) loss[0] += (a[p + 1][q] - a[p][q]) ** 2 + (a[p][q + 1] - a[p][q]) ** 2;
  }),
  'a plane, of differences by one number, computed again': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of ndrange(N - 1, N - 1)) loss[0] += ((a[p + 1][q] - a[p][q]) / 0.3) ** 2;
  }),
  'a plane, of five: four that flow, and what is left': kernel([a, b, loss], scope, (a, b, loss) => {
    for (const [p, q] of ndrange([1, N - 1], [1, N - 1])) {
      const [n, s] = [a[p - 1][q] - a[p][q], a[p + 1][q] - a[p][q]];
      const [e, w] = [a[p][q + 1] - a[p][q], a[p][q - 1] - a[p][q]];
      const flow = Math.exp(-n * n) * n + Math.exp(-s * s) * s + Math.exp(-e * e) * e + Math.exp(-w * w) * w;
      b[p][q] = a[p][q] + 0.2 * flow;
    }
    for (const [p, q] of active(b)) loss[0] += b[p][q] ** 2 * (p + 0.1 * q);
  }),
  'what is kept before what is kept': kernel([x, y, w, loss], scope, (x, y, w, loss) => {
    for (const p of range(2, L - 1)) {
      let [s, t] = [0.0, 0.0];
      for (const k of range(-1, 2)) {
        s += w[k + 1] * Math.tanh(x[p - k]) * x[p];
        t += 0.1 * x[p - k];
      }
      y[p] = (s * s) / (1 + t * t);
      loss[0] += y[p] ** 2;
    }
  }),
  'a branch that what is summed decides': kernel([x, loss], scope, (x, loss) => {
    for (const p of range(8, L - 8)) {
      let s = 0.0;
      for (const k of range(-4, 5)) s += x[p - k] * x[p + k];
      const e = Math.sqrt(1 + s * s);
      if (e > 2.3) loss[0] += e * x[p];
    }
  }),
  'within edges': kernel([a, loss], scope, (a, loss) => {
    for (const [p, q] of active(a)) {
      let s = 0.0;
      for (const k of range(-3, 4))
        for (const l of range(-3, 4))
          s += a[Math.min(Math.max(p + k, 0), N - 1)][Math.min(Math.max(q + l, 0), N - 1)] * (1 + 0.1 * k - 0.2 * l);
      loss[0] += 0.01 * s ** 2;
    }
  }),
};

describe('gradients of what sums over neighbours are made into', () => {
  const { layout: withAdjoints, adjoints } = withGradients(tree);
  it.each(Object.keys(filters).filter((name) => !/edges|lines|branch/.test(name)))('are gathered: %s', (name) => {
    const lowered = lowerKernels({ f: filters[name] }, tree, 'm', [], { derivatives: true, debug: false });
    if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
    const module = { ...lowered.right.module, layout: layoutTree(withAdjoints) };
    const { kernel, buffers } = adjoint(module, 'f', { adjoints });
    const atomics: unknown[] = [];
    walk(kernel.body, (op) => void (op.name === 'field.atomic' && atomics.push(op.attrs.field)));
    expect(atomics.filter((field) => field !== 'w_grad')).toEqual([]);
    const between = buffers.map((b) => b.name).filter((b) => b.includes('between'));
    expect(new Set(between).size).toBe(between.length);
    const many = name.includes('again') ? 0 : name.includes('two') ? 2 : name.includes('of five:') ? 5 : 1;
    if (!name.includes('before')) expect(between.length).toBe(many);
  });

  it('leave sums into one element where these are computed', () => {
    const f = filters['three weights, written out'];
    const lowered = lowerKernels({ f }, tree, 'm', [], { derivatives: true, debug: false });
    if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
    const module = { ...lowered.right.module, layout: layoutTree(withAdjoints) };
    const loops = adjoint(module, 'f', { adjoints }).kernel.body.ops.filter(({ regions }) => regions.length > 0);
    const has = (loop: (typeof loops)[number], name: string, field?: string): boolean =>
      loop.regions[0].ops.some((op) => op.name === name && op.attrs.field === field);
    expect(loops.filter((loop) => has(loop, 'field.atomic', 'w_grad'))).toEqual(
      loops.filter((loop) => has(loop, 'mem.store')),
    );
  });

  for (const [name, backend, threads] of [
    ['cpp', cpp(), 2],
    ['wasm', wasm(), 1],
  ] as const)
    it.each(Object.keys(filters))(`are those of differences on ${name}: %s`, async (filter) => {
      const far = filter.includes('argument') ? [0, 1, 5, 40] : [0];
      for (const r of far)
        await checkGradient({
          layout: tree,
          f: filters[filter],
          reset,
          loss,
          values: [
            ...Array.from({ length: 32 }, (_, p) => [w, [p], 0.2 + 0.1 * Math.sin(5 * p)] as const),
            ...(filter.includes('plane') || filter.includes('edges') || filter.includes('two')
              ? Array.from({ length: N * N }, (_, p) => [a, [Math.floor(p / N), p % N], 0.5 + 0.3 * Math.sin(7 * p)] as const).filter((_, p) => p % 11 < 2) // prettier-ignore
              : Array.from({ length: L }, (_, p) => [x, [p], 0.5 + 0.3 * Math.sin(7 * p)] as const)),
          ],
          args: filter.includes('argument') ? [r] : [],
          backend,
          threads,
        });
    });
});
