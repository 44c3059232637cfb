import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { denseLayout, gemmTargets, planKernel, tensor, type LayoutKind, type Term } from '@filigree/tensor';
import { expect, test } from 'vitest';
import { forEach, runPlan } from './run-plan.js';

const LETTERS = 'abcdef';

/** A product of up to 5 tensors over up to 6 indices, each index in one or two of them, and all patterns. */
const contraction = fc
  .record({
    extents: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 6 }),
    factors: fc.integer({ min: 1, max: 5 }),
    /** For each letter: the two factors it goes to (the same: one), and whether the target has it. */
    places: fc.array(fc.tuple(fc.nat(4), fc.nat(4), fc.boolean()), { minLength: 1, maxLength: 6 }),
    density: fc.constantFrom(1, 0.7, 0.3),
    seed: fc.integer(),
    layouts: fc.array(
      fc.constantFrom<LayoutKind | undefined>(undefined, 'dense', 'box', 'aligned', 'compressed', 'csc'),
      {
        minLength: 6,
        maxLength: 6,
      },
    ),
    add: fc.boolean(),
    scale: fc.constantFrom(1, -1, 0.5),
    f32: fc.boolean(),
    machine: fc.constantFrom('avx2' as const, 'avx512' as const, 'simd128' as const),
  })
  .map((c) => {
    const random = generator(c.seed);
    const indices = Array.from({ length: c.factors }, () => '');
    let target = '';
    c.places.forEach(([x, y, kept], n) => {
      const [p, q] = [x % c.factors, y % c.factors];
      indices[p] += LETTERS[n];
      if (p !== q) indices[q] += LETTERS[n];
      if (kept) target += LETTERS[n];
    });
    const shuffled = (s: string): string =>
      [...s]
        .map((i) => [random(), i] as const)
        .sort((a, b) => a[0] - b[0])
        .map((x) => x[1])
        .join('');
    const extent = (i: string): number => c.extents[LETTERS.indexOf(i)];
    const make = (name: string, letters: string, layout: LayoutKind | undefined) => {
      const shape = [...letters].map(extent);
      const size = shape.reduce((v, n) => v * n, 1);
      const bits = Uint8Array.from({ length: size }, () => (random() < c.density ? 1 : 0));
      const values = Float64Array.from(bits, (b) => b * Math.ceil(random() * 9));
      const kind = layout === 'csc' && letters.length !== 2 ? 'compressed' : layout;
      return {
        t: tensor(name, shape, { pattern: { shape, bits }, ...(kind ? { layout: kind } : {}) }),
        letters,
        values,
      };
    };
    const factors = indices.map((letters, n) => make(`T${n}`, shuffled(letters), c.layouts[n]));
    return { ...c, factors, target: shuffled(target), extent };
  });

test('a plan of any product of sparse tensors equals brute force', () => {
  fc.assert(
    fc.property(contraction, (c) => {
      const shape = [...c.target].map(c.extent);
      const layout = c.layouts[5] === 'csc' && shape.length !== 2 ? 'compressed' : c.layouts[5];
      const U = tensor('U', shape, layout ? { layout } : {});
      const product = c.factors
        .map((f): Term => f.t(f.letters))
        .reduce((a, b) => a.mul(b))
        .scale(c.scale);
      const assignment = c.add ? U(c.target).accumulate(product) : U(c.target).assign(product);
      const planned = planKernel(
        { name: 'k', assignments: [assignment] },
        { type: c.f32 ? 'f32' : 'f64', target: gemmTargets[c.machine] },
      );
      if (E.isLeft(planned)) throw new Error(JSON.stringify(planned.left));
      const before = Float64Array.from({ length: denseLayout(shape.map((n) => [0, n])).size }, (_, e) => e % 5);
      const values = { U: before, ...Object.fromEntries(c.factors.map((f, n) => [`T${n}`, f.values])) };
      const { U: found } = runPlan(planned.right, values);
      const wanted = c.add ? before.slice() : new Float64Array(before.length);
      const letters = [...new Set(c.factors.map((f) => f.letters).join(''))].join('');
      const place = (of: string, at: readonly number[]): number =>
        [...of].reduceRight((e, i) => e * c.extent(i) + at[letters.indexOf(i)], 0);
      forEach(
        [...letters].map((i) => [0, c.extent(i)]),
        (at) => {
          wanted[place(c.target, at)] += c.scale * c.factors.reduce((v, f) => v * f.values[place(f.letters, at)], 1);
        },
      );
      expect([...found]).toEqual([...wanted].map((x) => x + 0));
    }),
    { numRuns: 150 },
  );
});

const generator = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
};
