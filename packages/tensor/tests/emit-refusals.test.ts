import * as E from 'fp-ts/lib/Either.js';
import type { Diagnostic } from '@filigree/ir';
import { kernel, lowerPlans, planKernel, tensor, type Elements, type KernelDecl, type Plan } from '@filigree/tensor';
import { describe, expect, test } from 'vitest';
import { right } from './emit-support.js';

const plan = (decl: KernelDecl, maxTemporaryBytes?: number): Plan =>
  right(planKernel(decl, { type: 'f64', ...(maxTemporaryBytes === undefined ? {} : { maxTemporaryBytes }) }));

const refusal = (plans: readonly Plan[], elements: Elements = { kind: 'one' }): Diagnostic => {
  const lowered = lowerPlans(plans, { elements });
  if (E.isRight(lowered)) throw new Error('nothing was refused');
  expect(lowered.left[0].remedy).toBeTruthy();
  return lowered.left[0];
};

const [Q, I] = [tensor('Q', [8, 9]), tensor('I', [8, 9])];
const scaled = plan(kernel('scaled', Q('kp').assign(I('kp').scale(2))));

describe('kernels for many elements', () => {
  const most = Math.floor((2 ** 31 - 1) / 72);

  test('count all numbers of a tensor by an index of 32 bits, or are refused with what fits', () => {
    expect(E.isRight(lowerPlans([scaled], { elements: { kind: 'many', count: most } }))).toBe(true);
    for (const kind of ['many', 'at'] as const)
      expect(refusal([scaled], { kind, count: most + 1 })).toMatchObject({
        code: 'emit/size',
        message: expect.stringMatching(/^Q takes 72 numbers for each of 29826162 elements, more than the 2147483647/),
        remedy: `work on at most ${most} elements at a time`,
      });
    const shared = { Q: { kind: 'element' }, I: { kind: 'shared' } } as const;
    expect(refusal([scaled], { kind: 'many', count: most + 1, placed: shared }).message).toMatch(/^Q takes/);
  });

  test.each([0, -1, 1.5, NaN, Infinity])('need a number of elements: %d', (count) => {
    expect(refusal([scaled], { kind: 'many', count })).toMatchObject({
      code: 'option/value',
      message: `option 'elements.count' of lowerPlans is ${count}`,
    });
  });

  test('keep intermediate results of those that run at the same time, or are refused', () => {
    const [A, B, C] = [tensor('A', [4, 3]), tensor('B', [3, 4]), tensor('C', [4, 2])];
    const small = plan(
      kernel(
        'chain',
        C('ij').assign(
          A('ik')
            .mul(B('kl'))
            .mul(tensor('D', [4, 2])('lj')),
        ),
      ),
    );
    expect(small.buffers.length).toBe(1);
    const large = { ...small, buffers: [2 ** 25] };
    expect(refusal([large], { kind: 'many', count: 4 })).toMatchObject({
      code: 'emit/size',
      message: expect.stringContaining('an intermediate result of the kernel chain takes 33554432 numbers'),
    });
    expect(E.isRight(lowerPlans([large]))).toBe(true);
  });
});

describe('kernels of one program', () => {
  const K = (values: readonly number[]) => tensor('K', [2, 2], { values });
  const [v, w] = [tensor('v', [2]), tensor('w', [2])];
  const use = (name: string, values: readonly number[]) =>
    plan(kernel(name, v('i').assign(K(values)('ij').mul(w('j')))));

  test('have names of their own', () => {
    expect(refusal([scaled, scaled])).toMatchObject({ code: 'emit/name', message: expect.stringContaining('scaled') });
  });

  test('agree about known values', () => {
    expect(E.isRight(lowerPlans([use('a', [1, 2, 3, 4]), use('b', [1, 2, 3, 4])]))).toBe(true);
    expect(refusal([use('a', [1, 2, 3, 4]), use('b', [1, 2, 3, 5])])).toMatchObject({
      code: 'emit/constant',
      message: 'K has other values in the kernel b than in a',
    });
  });

  test('do not write what another takes for constant', () => {
    const free = tensor('K', [2, 2]);
    const write = plan(kernel('write', free('ij').assign(v('i').mul(w('j')))));
    for (const both of [
      [use('a', [1, 2, 3, 4]), write],
      [write, use('a', [1, 2, 3, 4])],
    ] as const)
      expect(refusal(both)).toMatchObject({
        code: 'emit/constant',
        message: 'K is assigned in the kernel write, but has constant values in a',
      });
  });
});
