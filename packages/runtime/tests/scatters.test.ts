import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { walk } from '@filigree/ir';
import { active, kernel, lowerKernels, range } from '@filigree/lang/kernels';
import { program, valueAndGradient } from '@filigree/runtime';
import { fieldPipeline } from '@filigree/runtime/pipeline';
import { dense, fields, i, layout, storageOf } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

/* Sums by indices that are looked up, by several threads. */
const [N, M] = [600, 20_000];
const { x, y, loss } = fields('f64', i, ['x', 'y', 'loss']);
const { tag, at } = fields('i32', i, ['tag', 'at']);
const { w } = fields('f64', i, ['w']);
const tree = layout(dense(i, N).place(x, tag, y), dense(i, M).place(at, w), dense(i, 1).place(loss));
const scope = { scope: { N, M } };
const scatter = kernel([x, y, at, w], scope, (x, y, at, w) => {
  for (const p of range(M)) {
    x[at[p]] += w[p];
    if (w[p] > 0) y[at[p]] -= w[p] * w[p];
  }
});
const some = kernel([x, at, w, 'i32', 'i32'], scope, (x, at, w, from, to) => {
  for (const p of range(from, to)) x[at[p & 0x3fff]] += w[p & 0x3fff];
});
const gather = kernel([x, at, w, loss], scope, (x, at, w, loss) => {
  for (const p of range(M)) loss[0] += w[p] * x[at[p]] ** 2;
});
const inTurn = kernel([x, at, w], scope, (x, at, w) => {
  for (const p of active(w)) {
    const q = at[p];
    if (q % 2 === 0) x[q] += w[p];
    if (q % 2 === 1 && x[q - 1] > 1e9) x[q] += 1;
  }
});
const places = Int32Array.from({ length: M }, (_, p) => (p * 7919 + 13 * (p % 7)) % N);
const weights = Float64Array.from({ length: M }, (_, p) => Math.sin(3 * p));
/* With the words around them no numbers, numbers near zero and the like, were they floats. */
const tags = Int32Array.from({ length: N }, (_, p) => [0x7ff00001, -0x000fffff, 1, 0, -1, 0x00000400][p % 6]);

const atomicsIn = (f: Parameters<typeof lowerKernels>[0][string], threads: number): readonly string[] => {
  const lowered = lowerKernels({ f }, tree, 'm');
  if (E.isLeft(lowered)) throw new Error(lowered.left[0].message);
  const module = fieldPipeline(storageOf(tree), { threads }).run(lowered.right.module);
  if (E.isLeft(module)) throw new Error(module.left[0].message);
  const found: string[] = [];
  walk(module.right.kernels[0].body, ({ name }) => void (name === 'mem.atomic' && found.push(name)));
  expect(module.right.buffers.some(({ name }) => name.includes('apart'))).toBe(threads > 1 && f !== inTurn);
  return found;
};

describe('sums that scatter, by several threads', () => {
  it('go to memory of their own, where these are elements that nothing else touches', () => {
    expect(atomicsIn(scatter, 1)).toHaveLength(2);
    expect(atomicsIn(scatter, 2)).toHaveLength(0);
    /* Where arguments tell how many there are, of each two loops the one that few iterations take. */
    expect(atomicsIn(some, 2)).toHaveLength(atomicsIn(some, 1).length);
    expect(atomicsIn(inTurn, 2).length).toBeGreaterThan(0);
  });

  it.each([
    ['cpp', cpp(), 1],
    ['cpp', cpp(), 2],
    ['cpp', cpp(), 3],
    ['wasm', wasm(), 1],
    ['wasm', wasm(), 2],
  ] as const)('are those of plain code, and leave alone what lies between: %s, %s, %i', async (_, backend, threads) => {
    const sim = await made(program({ layout: tree, kernels: { scatter, some, gather }, differentiate: [x, y, w, loss], backend, threads })); // prettier-ignore
    sim.field(at).fromArray(places);
    sim.field(w).fromArray(weights);
    sim.field(tag).fromArray(tags);
    const [xs, ys] = [new Float64Array(N), new Float64Array(N)];
    const check = (): void => {
      xs.forEach((v, q) => expect(sim.field(x).get(q)).toBeCloseTo(v, 9));
      ys.forEach((v, q) => expect(sim.field(y).get(q)).toBeCloseTo(v, 9));
      expect(sim.field(tag).toArray()).toEqual(tags);
    };
    sim.run.scatter();
    places.forEach((q, p) => {
      xs[q] += weights[p];
      if (weights[p] > 0) ys[q] -= weights[p] ** 2;
    });
    check();
    for (const [from, to] of [
      [17, M],
      [0, 100],
      [5, 3],
      [3, 12_001],
      /* Their difference is 294,967,296 in 32 bits. */
      [2e9, -2e9],
    ] as const) {
      sim.run.some(from, to);
      for (let p = from; p < to; p++) xs[places[p & 0x3fff]] += weights[p & 0x3fff];
      check();
    }
    const { value, gradient } = valueAndGradient(sim, () => sim.run.gather(), { loss, wrt: { x } });
    const by = new Float64Array(N);
    let sum = 0;
    places.forEach((q, p) => {
      sum += weights[p] * xs[q] ** 2;
      by[q] += 2 * weights[p] * xs[q];
    });
    expect(value).toBeCloseTo(sum, 6);
    by.forEach((g, q) => expect(gradient.x.get(q)).toBeCloseTo(g, 8));
    const first = gradient.x.toArray();
    sim.field(loss).fill(0);
    expect(valueAndGradient(sim, () => sim.run.gather(), { loss, wrt: { x } }).gradient.x.toArray()).toEqual(first);
    sim.dispose();
  });
});
