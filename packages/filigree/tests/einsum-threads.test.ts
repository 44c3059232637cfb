import { printModule } from '@filigree/ir';
import { expect, it, describe } from 'vitest';
import { einsum } from 'filigree';
import { workingBackends } from './support.js';

/* Integers, so that sums are exact in any order. The first index is the fastest. */
const numbers = (length: number, by: number): Float64Array =>
  Float64Array.from({ length }, (_, k) => ((k * by) % 7) - 3);

type Entry = (tensors: Readonly<Record<string, Float64Array>>, at: readonly number[]) => number;

const sum = (n: number, term: (j: number) => number): number => {
  let total = 0;
  for (let j = 0; j < n; j++) total += term(j);
  return total;
};

/** Formula, extents of its factors and of its result, and what an entry of the result is. */
const formulas: readonly (readonly [string, Readonly<Record<string, readonly number[]>>, readonly number[], Entry])[] =
  [
    [
      'C[ik] = A[ij]*B[jk]',
      { A: [90, 100], B: [100, 96] },
      [90, 96],
      ({ A, B }, [i, k]) => sum(100, (j) => A![i! + 90 * j]! * B![j + 100 * k!]!),
    ],
    [
      'C[ikb] = 2*A[ijb]*B[jkb]',
      { A: [30, 32, 40], B: [32, 32, 40] },
      [30, 32, 40],
      ({ A, B }, [i, k, b]) => 2 * sum(32, (j) => A![i! + 30 * (j + 32 * b!)]! * B![j + 32 * (k! + 32 * b!)]!),
    ],
    ['C[ij] = A[ji]', { A: [1030, 1025] }, [1025, 1030], ({ A }, [i, j]) => A![j! + 1030 * i!]!],
    ['C[i] = A[i]*B[i]', { A: [1_100_003], B: [1_100_003] }, [1_100_003], ({ A, B }, [i]) => A![i!]! * B![i!]!],
  ];

describe.each(workingBackends)('einsum on threads of %s', (backend) => {
  it.each(formulas)('computes %s as on one', async (formula, factors, extents, entry) => {
    const program = await einsum(formula, { backend, shapes: factors });
    try {
      expect(printModule(program.module)).toMatch(/parallel/);
      const size = (e: readonly number[]): number => e.reduce((n, x) => n * x, 1);
      const given = Object.fromEntries(Object.entries(factors).map(([name, e], k) => [name, numbers(size(e), k + 2)]));
      for (const [name, values] of Object.entries(given)) program.tensors[name]!.set(values);
      const wanted = Float64Array.from({ length: size(extents) }, (_, n) => {
        let rest = n;
        const at = extents.map((e) => {
          const x = rest % e;
          rest = (rest - x) / e;
          return x;
        });
        return entry(given, at);
      });
      for (const threads of [1, 3]) {
        program.tensors['C']!.data.fill(0);
        program.run({ threads });
        /* Zeros have no sign here. */
        const wrong = program.tensors['C']!.get().findIndex((x, n) => x !== wanted[n]);
        expect(wrong, `on ${threads} threads`).toBe(-1);
      }
    } finally {
      program.dispose();
    }
  });
});

it('leaves small products to one thread', async () => {
  const program = await einsum('C[ik] = A[ij]*B[jk]', { backend: 'wasm', shapes: { A: [9, 9], B: [9, 9] } });
  expect(printModule(program.module)).not.toMatch(/parallel/);
  program.dispose();
});
