import { patternOf } from '@filigree/sparse/eqspp';
import { evaluationSteps, kernel, tensor } from '@filigree/tensor';
import { expect, test } from 'vitest';

const diagonal = patternOf(
  [10, 10],
  Array.from({ length: 10 }, (_, i) => [i, i]),
);

test('the steps of an evaluation are those of its loops, less what patterns leave out', () => {
  const product = (a: Parameters<typeof tensor>[2], n: number): number =>
    evaluationSteps(
      kernel('k', tensor('C', [10, n])('ij').assign(tensor('A', [10, 10], a)('ik').mul(tensor('B', [10, n])('kj')))),
    );
  expect(product({}, 20)).toBe(10 + 100 + 2000);
  expect(product({ pattern: diagonal }, 20)).toBe(10 + 100 + 200);
  /* Three matrices of one nest would be 10¹², two after another are 2·10⁹. */
  const [A, B, C, D] = ['A', 'B', 'C', 'D'].map((name) => tensor(name, [1000, 1000]));
  const chain = evaluationSteps(kernel('k', D!('il').assign(A!('ij').mul(B!('jk')).mul(C!('kl')))));
  expect(chain).toBeGreaterThan(2e9);
  expect(chain).toBeLessThan(2.01e9);
});
