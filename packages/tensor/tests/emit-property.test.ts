import fc from 'fast-check';
import { evaluateKernel, gemmTargets, lowerPlan, planKernel, randomKernel, type GemmTarget } from '@filigree/tensor';
import { expect, test } from 'vitest';
import { right, runPlan } from './emit-support.js';

const targets: readonly GemmTarget[] = [gemmTargets.avx2, gemmTargets.avx512, gemmTargets.simd128];

test('planned and lowered, random contractions equal nested loops', () => {
  fc.assert(
    fc.property(fc.integer(), fc.nat(2), (seed, t) => {
      const { decl, values, scalars } = randomKernel(seed);
      const target = targets[t]!;
      const plan = right(planKernel(decl, { type: 'f64', target }));
      const expected = evaluateKernel(decl, values, scalars);
      const found = runPlan(
        right(lowerPlan(plan, { target })),
        plan,
        values,
        plan.scalars.map((s) => scalars[s]!),
      );
      for (const [name, entries] of Object.entries(expected))
        expect(
          [...found[name]!].map((x) => x + 0),
          name,
        ).toEqual([...entries].map((x) => x + 0));
    }),
    { numRuns: 30 },
  );
});
