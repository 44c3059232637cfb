import { adjoint, tangent } from '@filigree/autodiff';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  adjoints,
  block,
  launch,
  moduleOf,
  newStore,
  places,
  tangents,
  tangentsOfAdjoints,
  type Statement,
} from './random-code.js';

/** A number, and how it changes along a direction. */
interface Dual {
  readonly v: number;
  readonly d: number;
}

const constant = (v: number): Dual => ({ v, d: 0 });
const add = (a: Dual, b: Dual): Dual => ({ v: a.v + b.v, d: a.d + b.d });
const mul = (a: Dual, b: Dual): Dual => ({ v: a.v * b.v, d: a.d * b.v + a.v * b.d });
const sin = (a: Dual): Dual => ({ v: Math.sin(a.v), d: a.d * Math.cos(a.v) });

/** What random code computes, on dual numbers. */
const onDuals = (code: readonly Statement[], before: readonly Dual[], n: number): Dual => {
  const values = [...before];
  const pick = (k: number): Dual => values[values.length - 1 - (k % values.length)];
  for (const s of code) values.push(statement(s, pick, values, n));
  return sin(add(values[values.length - 1], mul(constant(0.5), pick(1))));
};

const statement = (s: Statement, pick: (k: number) => Dual, values: readonly Dual[], n: number): Dual => {
  const [x, y] = [pick(s.a), pick(s.b)];
  if (s.is === 'if') return onDuals(s.arms[x.v > y.v * 0.7 ? 0 : 1], values, n);
  if (s.is === 'for') {
    let c = x;
    for (let k = 0; k < (s.trips % 2 === 0 ? s.trips : n); k++)
      c = onDuals(s.body, [...values, mul(constant(k), y), c], n);
    return c;
  }
  if (s.is === 'while') {
    let c = x;
    for (let k = 0; k < n && c.v < 0.6; k++)
      c = add(onDuals(s.body, [...values, mul(c, y), c], n), mul(constant(0.3), c));
    return mul(c, y);
  }
  if (s.is !== 'compute') throw new Error('no statement');
  switch (s.op) {
    case 'add':
      return add(x, y);
    case 'sub':
      return add(x, mul(constant(-1), y));
    case 'mul':
      return mul(x, y);
    case 'sin':
      return sin(mul(x, constant(1.3)));
    case 'gauss': {
      const v = Math.exp(-x.v * x.v);
      return { v, d: -2 * x.v * x.d * v };
    }
    case 'min':
      return x.v <= y.v ? x : y;
  }
};

const number = fc.integer({ min: -900, max: 900 }).map((k) => k / 700);
const four = fc.array(number, { minLength: 4, maxLength: 4 });
const near = (found: number, expected: number): void =>
  expect(Math.abs(found - expected)).toBeLessThan(1e-10 * Math.max(1, Math.abs(expected)));

it('random kernels with loops, breaks and branches have the tangents of dual numbers, and those that adjoints tell', () => {
  fc.assert(
    fc.property(block, four, four, fc.integer({ min: 0, max: 4 }), (code, at, along, n) => {
      const module = moduleOf(code);
      const forward = tangent(module, 'f', { tangents });
      const store = newStore();
      places.forEach(([name, p], k) => {
        store.store(name, [p], at[k]);
        store.store(tangents[name], [p], along[k]);
      });
      launch(forward.kernel, forward.buffers, store, n);
      const expected = [0, 1]
        .map((p) => {
          const [x, y] = [p, p + 2].map((k) => ({ v: at[k], d: along[k] }));
          return mul(onDuals(code, [x, y], n), constant(p + 1));
        })
        .reduce(add);
      near(Number(store.load('loss', [0])), expected.v);
      const found = Number(store.load('loss_tangent', [0]));
      near(found, expected.d);

      const backward = adjoint(module, 'f', { adjoints });
      store.store('loss_grad', [0], 1);
      launch(backward.kernel, backward.buffers, store, n);
      const product = places.reduce((sum, [name, p], k) => sum + along[k] * Number(store.load(adjoints[name], [p])), 0);
      near(product, found);
    }),
    { numRuns: 60 },
  );
});

it('of equal values the first is followed, though the same are compared in the other order as well', () => {
  /* Of x = y = 0: min(x, y) and min(y, x), each with a weight of its own. */
  const min = (a: number, b: number): Statement => ({ is: 'compute', op: 'min', a, b });
  const code: readonly Statement[] = [min(1, 0), min(1, 2)];
  const module = moduleOf(code);
  const [forward, backward] = [tangent(module, 'f', { tangents }), adjoint(module, 'f', { adjoints })];
  const store = newStore();
  places.forEach(([name, p]) => store.store(name, [p], 0));
  store.store('loss_grad', [0], 1);
  launch(backward.kernel, backward.buffers, store, 0);
  const found = places.map(([name, p]) => Number(store.load(adjoints[name], [p])));
  const along = places.map((_, k) => {
    places.forEach(([other, q], m) => store.store(tangents[other], [q], k === m ? 1 : 0));
    store.store('loss_tangent', [0], 0);
    launch(forward.kernel, forward.buffers, store, 0);
    return Number(store.load('loss_tangent', [0]));
  });
  /* sin(m₂ + m₁ / 2), times 1 and 2: m₁ follows x, and m₂ follows y. */
  expect(found).toEqual([0.5, 1, 1, 2]);
  expect(along).toEqual(found);
});

/** y·sin(1.3 y) behind a loop that may end at once, at 0: an adjoint is 0 there and about to change. */
const ADJOINT_OF_ZERO: [Statement[], number[], number[], number] = [
  [
    { is: 'compute', op: 'sin', a: 0, b: 0 },
    { is: 'while', trips: 0, a: 1, b: 0, body: [{ is: 'compute', op: 'add', a: 0, b: 0 }] },
    { is: 'compute', op: 'add', a: 0, b: 0 },
  ],
  [0, 0, 0, 0],
  [0, 0, 0, 1],
  0,
];

it('tangents of adjoint kernels are products with second derivatives, as differences of gradients tell', () => {
  let compared = 0;
  fc.assert(
    fc.property(block, four, four, fc.integer({ min: 0, max: 4 }), (code, at, along, n) => {
      const module = moduleOf(code);
      const backward = adjoint(module, 'f', { adjoints });
      const reversed = { ...module, buffers: backward.buffers, kernels: [backward.kernel] };
      const second = tangent(reversed, backward.kernel.name, { tangents: { ...tangents, ...tangentsOfAdjoints } });
      const set = (t: number) => {
        const store = newStore();
        places.forEach(([name, p], k) => store.store(name, [p], at[k] + t * along[k]));
        store.store('loss_grad', [0], 1);
        return store;
      };
      const gradientAt = (t: number): readonly number[] => {
        const store = set(t);
        launch(backward.kernel, backward.buffers, store, n);
        return places.map(([name, p]) => Number(store.load(adjoints[name], [p])));
      };
      const store = set(0);
      places.forEach(([name, p], k) => store.store(tangents[name], [p], along[k]));
      launch(second.kernel, [...backward.buffers, ...second.buffers], store, n);
      const byDifferences = (h: number): readonly number[] => {
        const [a, b, c, d] = [h, -h, 2 * h, -2 * h].map(gradientAt);
        return places.map((_, k) => (8 * (a[k] - b[k]) - (c[k] - d[k])) / (12 * h));
      };
      /* How much slopes differ before and after: of what is smooth twice as much over twice the distance, at a kink as much over any. */
      const bend = (h: number): readonly number[] => {
        const [before, here, after] = [-h, 0, h].map(gradientAt);
        return places.map((_, k) => (after[k] - 2 * here[k] + before[k]) / h);
      };
      const [wide, close] = [byDifferences(4e-4), byDifferences(1e-4)];
      const [half, whole] = [bend(1e-4), bend(2e-4)];
      places.forEach(([name, p], k) => {
        const scale = Math.max(1, Math.abs(close[k]));
        /* A branch, or the end of a loop, lies too near for differences to tell; where it lies just here, those of both sides may agree. */
        if (!(Math.abs(wide[k] - close[k]) < 1e-7 * scale)) return;
        if (!(Math.abs(2 * half[k] - whole[k]) < 2e-7 * scale)) return;
        compared++;
        const found = Number(store.load(tangentsOfAdjoints[adjoints[name]], [p]));
        expect(Math.abs(found - close[k])).toBeLessThan(1e-6 * scale);
      });
    }),
    { numRuns: 20, examples: [ADJOINT_OF_ZERO] },
  );
  expect(compared).toBeGreaterThan(0);
});
