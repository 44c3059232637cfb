import { type Module, walk } from '@filigree/ir';
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

const isDivided = (module: Module): boolean => {
  let found = false;
  walk(module.kernels[0]!.body, (op) => (found ||= op.attrs['team'] === true));
  return found;
};

test('teams of threads compute the same, of sparse tensors too', () => {
  let sparse = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const { decl, values, scalars } = randomKernel(seed);
    const plan = right(planKernel(decl, { type: 'f64' }));
    const module = right(lowerPlan(plan, { elements: { kind: 'many', count: 1 }, team: { sharedBytes: 1 << 15 } }));
    if (!isDivided(module)) continue;
    if (plan.tensors.some((t) => t.layout.kind !== 'dense')) sparse++;
    const given = plan.scalars.map((s) => scalars[s]!);
    const found = runPlan(module, plan, values, [0, 1, ...given]);
    for (const [name, entries] of Object.entries(evaluateKernel(decl, values, scalars)))
      expect(
        [...found[name]!].map((x) => x + 0),
        `${name} of ${seed}`,
      ).toEqual([...entries].map((x) => x + 0));
  }
  expect(sparse).toBeGreaterThan(4);
});
