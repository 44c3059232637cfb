import { walk, type Op } from '@filigree/ir';
import {
  evaluateKernel,
  fusionCost,
  gemmTargets,
  kernel,
  lowerPlan,
  planKernel,
  printActions,
  printMappings,
  tensor,
  type CostModel,
  type GemmTarget,
  type Plan,
  type Term,
} from '@filigree/tensor';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomNumbers, right, runPlan } from './emit-support.js';

/** C = A·B for each value of b, which is the first index of all three. */
const batches = (b: number, m: number, k: number, n: number) =>
  kernel(
    'batches',
    tensor('C', [b, m, n])('bij').assign(tensor('A', [b, m, k])('bik').mul(tensor('B', [b, k, n])('bkj'))),
  );

const opsOf = (plan: Plan, target: GemmTarget): readonly Op[] => {
  const ops: Op[] = [];
  walk(right(lowerPlan(plan, { target })).kernels[0]!.body, (op) => void ops.push(op));
  return ops;
};

describe('products of matrices that lie side by side', () => {
  test('are loops around lanes along what is first in all tensors', () => {
    const target = gemmTargets.avx512;
    const plan = right(planKernel(batches(16, 4, 5, 3), { type: 'f64', target }));
    expect(printActions(plan.actions)).toBe('C = Product(A, B)');
    expect(plan.flops.hardware).toBe(2 * 16 * 4 * 5 * 3);
    const ops = opsOf(plan, target);
    /* All twelve entries of a result stay in registers while k runs: each factor is loaded once. */
    const loads = ops.filter((op) => op.name === 'mem.load');
    expect(loads.length).toBe(4 + 3);
    expect(loads.every((op) => op.results[0]!.type === 'f64' || JSON.stringify(op.results[0]!.type).includes('8'))).toBe(true); // prettier-ignore
    expect(ops.filter((op) => op.name === 'mem.store').length).toBe(12);
  });

  test('need no more registers than there are', () => {
    for (const target of [gemmTargets.avx2, gemmTargets.avx512]) {
      const ops = opsOf(right(planKernel(batches(16, 9, 9, 9), { type: 'f64', target })), target);
      const carried = ops.filter((op) => op.name === 'scf.for').map((op) => op.results.length);
      expect(Math.max(...carried)).toBeLessThan(target.registers - 2);
      expect(Math.max(...carried)).toBeGreaterThanOrEqual(8);
    }
  });

  test('stay matrices where these have a unit stride', () => {
    const decl = kernel(
      'last',
      tensor('C', [8, 8, 16])('ijb').assign(tensor('A', [8, 8, 16])('ikb').mul(tensor('B', [8, 8, 16])('kjb'))),
    );
    const plan = right(planKernel(decl, { type: 'f64', target: gemmTargets.avx512 }));
    expect(printActions(plan.actions)).toBe('C = LoopOverGEMM(A, B)');
  });

  test('stay matrices where they fill no vector, nor half of one', () => {
    const planned = (b: number, target: GemmTarget): string =>
      printActions(right(planKernel(batches(b, 32, 32, 32), { type: 'f64', target })).actions);
    expect(planned(7, gemmTargets.avx512)).toBe('C = LoopOverGEMM(A, B)');
    expect(planned(8, gemmTargets.avx512)).toBe('C = Product(A, B)');
    expect(planned(4, gemmTargets.avx512)).toBe('C = Product(A, B)');
    expect(planned(3, gemmTargets.avx2)).toBe('C = LoopOverGEMM(A, B)');
    /* Of two indices together. */
    const [A, B, C] = [tensor('A', [2, 4, 9, 9]), tensor('B', [2, 4, 9, 9]), tensor('C', [2, 4, 9, 9])];
    const heads = kernel('heads', C('bhij').assign(A('bhik').mul(B('bhkj'))));
    expect(printActions(right(planKernel(heads, { type: 'f64', target: gemmTargets.avx512 })).actions)).toBe('C = Product(A, B)'); // prettier-ignore
  });

  test('equal plain evaluation, whatever their shapes and orders, added or not', () => {
    const size = fc.constantFrom(1, 2, 3, 4, 5, 7, 8, 11, 16, 19, 64);
    const cases = fc.record({
      sizes: fc.record({ b: size, c: fc.constantFrom(1, 2, 3), i: size, j: size, k: size }),
      target: fc.constantFrom('bij', 'bji', 'bi', 'bcij', 'bicj', 'b'),
      left: fc.constantFrom('bik', 'bki', 'bcik'),
      right: fc.constantFrom('bkj', 'bjk', 'bckj', 'bk'),
      add: fc.boolean(),
      scale: fc.constantFrom(1, -2),
      type: fc.constantFrom('f32' as const, 'f64' as const),
      machine: fc.constantFrom('sse' as const, 'avx2' as const, 'avx512' as const),
    });
    let nests = 0;
    fc.assert(
      fc.property(cases, fc.integer(), (c, seed) => {
        const letters = new Set(c.left + c.right);
        fc.pre([...c.target].every((l) => letters.has(l)));
        const shape = (indices: string): number[] => [...indices].map((l) => c.sizes[l as 'b']);
        fc.pre([...letters].reduce((n, l) => n * c.sizes[l as 'b'], 1) <= 20_000);
        const [A, B, C] = [tensor('A', shape(c.left)), tensor('B', shape(c.right)), tensor('C', shape(c.target))];
        const value = A(c.left).mul(B(c.right));
        const scaled = c.scale === 1 ? value : value.scale(c.scale);
        const decl = kernel('k', c.add ? C(c.target).accumulate(scaled) : C(c.target).assign(scaled));
        const target = gemmTargets[c.machine];
        const plan = right(planKernel(decl, { type: c.type, target }));
        if (plan.actions.some((a) => a.operation.kind === 'product')) nests++;
        const random = randomNumbers(seed);
        const values = Object.fromEntries(
          [A, B, C].map(({ decl: t }) => [
            t.name,
            Float64Array.from({ length: t.shape.reduce((n, x) => n * x, 1) }, () => Math.round(4 * random())),
          ]),
        );
        const found = runPlan(right(lowerPlan(plan, { target })), plan, values)['C'];
        expect(found!.map((x) => x + 0)).toEqual(evaluateKernel(decl, values)['C']!.map((x) => x + 0));
      }),
      { numRuns: 150 },
    );
    expect(nests).toBeGreaterThan(8);
  });

  test('temporaries are not padded where that would part two indices', () => {
    const [B, D, A, C] = [tensor('B', [7, 9, 64, 3]), tensor('D', [3, 64]), tensor('A', [20, 9]), tensor('C', [20, 7])];
    const decl = kernel('k', C('kq').assign(A('ki').mul(B('qilm')).mul(D('ml'))));
    const plan = right(planKernel(decl, { type: 'f32', target: gemmTargets.avx512 }));
    expect(printMappings(plan.actions)).toBe('_tmp0_(qi) := B_(qi)[l]m D_m[l]\nC_kq := A_ki _tmp0_qi^T');
  });

  test('and what is tried of both kinds of temporaries is bounded together', () => {
    let tried = 0;
    const cost: CostModel = { ...fusionCost, log: (mapping) => (tried++, fusionCost.log(mapping)) };
    const of = (name: string, indices: string) =>
      tensor(
        name,
        [...indices].map((l) => 3 + (l.charCodeAt(0) % 5)),
      )(indices);
    const factors: readonly Term[] = ['acgkh', 'baje', 'igafe', 'hfibj', 'cgfa', 'gfbj'].map((indices, k) =>
      of(`A${k}`, indices),
    );
    const decl = kernel('k', of('C', 'ckbe').assign(factors.reduce((x, y) => x.mul(y))));
    right(planKernel(decl, { type: 'f64', target: gemmTargets.avx2, cost }));
    /* Each by itself takes one and a half million. */
    expect(tried).toBeLessThan(1_000_000);
  });
});
