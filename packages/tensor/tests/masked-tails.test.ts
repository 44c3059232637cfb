import { walk, type Op } from '@filigree/ir';
import { evaluateKernel, gemmTargets, kernel, lowerPlan, planKernel, tensor, type GemmTarget } from '@filigree/tensor';
import { describe, expect, test } from 'vitest';
import { randomNumbers, right, runPlan } from './emit-support.js';

/** C += A·B of a few rows, made for a target: its partial loads and stores, its flops, and what comes out. */
const product = (type: 'f32' | 'f64', rows: number, target: GemmTarget) => {
  const [A, B, C] = [tensor('A', [rows, 4]), tensor('B', [4, 3]), tensor('C', [rows, 3])];
  const decl = kernel('product', C('ij').accumulate(A('ik').mul(B('kj'))));
  const plan = right(planKernel(decl, { type, target }));
  const module = right(lowerPlan(plan, { target }));
  const ops: Op[] = [];
  walk(module.kernels[0]!.body, (op) => void (/First$/.test(op.name) && ops.push(op)));
  const random = randomNumbers(rows);
  const values = Object.fromEntries(
    [A, B, C].map(({ decl: t }) => [
      t.name,
      Float64Array.from({ length: t.shape[0]! * t.shape[1]! }, () => Math.round(8 * random())),
    ]),
  );
  expect(runPlan(module, plan, values)['C']).toEqual(evaluateKernel(decl, values)['C']);
  return { ops, flops: plan.flops.hardware };
};

describe('rows that fill more than half of a vector, but not all of it', () => {
  test.each([
    ['f64', 3, 4],
    ['f64', 5, 8],
    ['f64', 7, 8],
    ['f32', 9, 16],
    ['f32', 15, 16],
  ] as const)('are one vector under a mask with AVX-512: %s, %i rows', (type, rows, lanes) => {
    const { ops, flops } = product(type, rows, gemmTargets.avx512);
    expect(new Set(ops.map((op) => op.name))).toEqual(new Set(['mem.loadFirst', 'mem.storeFirst']));
    expect(ops.every((op) => op.attrs['count'] === rows)).toBe(true);
    /* Three columns are stored, each once. */
    expect(ops.filter((op) => op.name === 'mem.storeFirst').length).toBe(3);
    expect(flops).toBe(2 * lanes * 4 * 3);
  });

  test.each([
    ['f64', 8],
    ['f64', 4],
    ['f64', 11],
    ['f32', 2],
  ] as const)('are none where vectors can be whole: %s, %i rows', (type, rows) => {
    expect(product(type, rows, gemmTargets.avx512).ops).toEqual([]);
  });

  test('are smaller vectors where there are no masks', () => {
    expect(product('f64', 5, gemmTargets.avx2).ops).toEqual([]);
    expect(product('f64', 3, gemmTargets.avx2).ops).toEqual([]);
  });
});
