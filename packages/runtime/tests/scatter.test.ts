import { cpp } from '@filigree/backend-cpp';
import type { Backend } from '@filigree/backend';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { i32, kernel, range } from '@filigree/lang/kernels';
import { program, valueAndGradient, type FieldPipelineOptions } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const COUNT = 203;
const { x, v, loss } = fields('f64', i, ['x', 'v', 'loss']);
const { mass, momentum } = fields('f64', i, ['mass', 'momentum']);
const { kind } = fields('i32', i, ['kind']);

/** Particles that move with a grid: what each computes is added to nodes that others add to as well. */
const toGrid = kernel([x, v, kind, mass, momentum], (x, v, kind, mass, momentum) => {
  for (const p of range(203)) {
    const base = i32(Math.floor(x[p] * 20 - 0.5));
    const f = x[p] * 20 - base;
    const a = 0.5 * (1.5 - f) * (1.5 - f);
    const b = 0.75 - (f - 1) * (f - 1);
    const c = 0.5 * (f - 0.5) * (f - 0.5);
    const speed =
      v[p] / Math.sqrt(1 + v[p] * v[p]) + 0.1 * v[p] ** 0.5 - (kind[p] > 1 ? 0.2 * x[p] * x[p] : v[p] * x[p]);
    mass[base] += a;
    mass[base + 1] += b;
    mass[base + 2] += c;
    momentum[base] += a * speed;
    momentum[base + 1] += b * speed;
    if (kind[p] > 0) momentum[base + 2] += c * speed * (1 + f);
    v[p] = speed;
  }
});
const toParticles = kernel([x, v, mass, momentum, loss], (x, v, mass, momentum, loss) => {
  for (const p of range(203)) {
    const base = i32(Math.floor(x[p] * 20 - 0.5));
    const f = x[p] * 20 - base;
    const a = 0.5 * (1.5 - f) * (1.5 - f) * (momentum[base] / (mass[base] + 0.1));
    const b = (0.75 - (f - 1) * (f - 1)) * (momentum[base + 1] / (mass[base + 1] + 0.1));
    const c = 0.5 * (f - 0.5) * (f - 0.5) * (momentum[base + 2] / (mass[base + 2] + 0.1));
    loss[0] += (a + b + c) * v[p] + a * a - b * c;
  }
});

const open = (options: FieldPipelineOptions & { readonly backend: Backend; readonly threads?: number }) =>
  program({
    layout: layout(dense(i, COUNT).place(x, v, kind), dense(i, 32).place(mass, momentum), dense(i, 1).place(loss)),
    kernels: { toGrid, toParticles },
    differentiate: [x, v, mass, momentum, loss],
    ...options,
  });

const derivatives = async (options: Parameters<typeof open>[0]) => {
  const opened = await open(options)();
  if (E.isLeft(opened)) throw new DiagnosticError(opened.left);
  const sim = opened.right;
  for (const p of range(COUNT)) {
    sim.field(x).set(p, 0.1 + ((p * 37) % COUNT) / (1.2 * COUNT));
    sim.field(v).set(p, 0.5 + ((p * 61) % COUNT) / COUNT);
    sim.field(kind).set(p, p % 3);
  }
  const forward = (): void => {
    sim.run.toGrid();
    sim.run.toParticles();
  };
  const { value, gradient } = valueAndGradient(sim, forward, { loss, wrt: { x, v } });
  const numbers = [value, ...Array.from({ length: COUNT }, (_, p) => [gradient.x.get(p), gradient.v.get(p)]).flat()];
  const sources = sim.instance.sources.files.map((f) => String(f.contents)).join('\n');
  sim.dispose();
  return { numbers, sources };
};

describe('loops that scatter', () => {
  it('compute on lanes where the target gathers, and give the same', async () => {
    const plain = await derivatives({ backend: cpp(), gathers: 0 });
    const reference = await derivatives({ backend: wasm() });
    expect(plain.sources).not.toContain('stage0');
    for (const threads of [1, 2]) {
      const lanes = await derivatives({ backend: cpp(), gathers: 2, threads });
      expect(lanes.sources).toContain('stage0');
      lanes.numbers.forEach((n, k) => {
        expect(n).toBeCloseTo(plain.numbers[k], 9);
        expect(n).toBeCloseTo(reference.numbers[k], 9);
      });
    }
  });
});
