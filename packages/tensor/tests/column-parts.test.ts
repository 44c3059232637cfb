import { type Module, type Op } from '@filigree/ir';
import { evaluateKernel, gemmTargets, kernel, lowerPlan, planKernel, tensor, type LayoutKind } from '@filigree/tensor';
import { expect, test } from 'vitest';
import { randomNumbers, right, runPlan } from './emit-support.js';

const [simulations, columns, rows, quantities] = [5, 14, 12, 3];

/** A third of the matrix, and two columns without an entry. */
const bits = Uint8Array.from({ length: rows * columns }, (_, e) =>
  [3, 9].includes(Math.floor(e / rows)) || (e * 7 + Math.floor(e / 5)) % 3 > 0 ? 0 : 1,
);

const productsIn = ({ kernels }: Module): number => {
  const count = (ops: readonly Op[]): number =>
    ops.reduce(
      (sum, op) => sum + (op.name === 'linalg.gemm' ? 1 : 0) + op.regions.reduce((n, r) => n + count(r.ops), 0),
      0,
    );
  return count(kernels[0]!.body.ops);
};

test.each<[LayoutKind, boolean]>([
  ['dense', false],
  ['dense', true],
  ['csc', false],
  ['csc', true],
])(
  'a product by a matrix with zeros, %s, is repeated in parts that fit the instruction cache (added: %s)',
  (layout, add) => {
    const K = tensor('K', [rows, columns], { pattern: { shape: [rows, columns], bits }, layout });
    const value = tensor('I', [simulations, rows, quantities])('slq').mul(K('lk'));
    const Q = tensor('Q', [simulations, columns, quantities])('skq');
    const decl = kernel('multiply', add ? Q.accumulate(value) : Q.assign(value));
    const random = randomNumbers(7);
    const values = Object.fromEntries(
      [
        ['I', simulations * rows * quantities],
        ['Q', simulations * columns * quantities],
        ['K', rows * columns],
      ].map(([name, size]) => [name, Float64Array.from({ length: size as number }, random)]),
    );
    bits.forEach((bit, e) => (values.K![e]! *= bit));
    const expected = evaluateKernel(decl, values, {});
    for (const [instructionCache, least] of [
      [32768, 1],
      [1024, 3],
    ] as const) {
      const target = { ...gemmTargets.avx2, instructionCache };
      const plan = right(planKernel(decl, { type: 'f64', target }));
      const products = productsIn(right(lowerPlan(plan, { target, lower: false })));
      if (least === 1) expect(products).toBe(1);
      else expect(products).toBeGreaterThanOrEqual(least);
      const found = runPlan(right(lowerPlan(plan, { target })), plan, values);
      found.Q!.forEach((x, e) => expect(x).toBeCloseTo(expected.Q![e]!, 12));
    }
  },
);
