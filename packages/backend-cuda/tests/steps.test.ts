import { type Stage, type Step, cutIntoSteps } from '@filigree/backend/gpu';
import { dialectsOf, scalarizeVectorsOver } from '@filigree/backend';
import { conformancePrograms, difference } from '@filigree/conformance';
import { allocateBuffers, interpret, verifyModule, type Module, type Scalar, type TypedArray } from '@filigree/ir';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

type Program = ReturnType<typeof conformancePrograms>[number];

const memoryOf = (module: Module, { inputs }: Program): Record<string, TypedArray> => {
  const memory = allocateBuffers(module.buffers);
  for (const [name, values] of Object.entries(inputs)) (memory[name] as Float64Array).set(values as Float64Array);
  return memory;
};

/** The steps in the order in which they are launched. */
const launchesOf = (stages: readonly Stage[], args: readonly Scalar[]): readonly Step[] =>
  stages.flatMap((s) =>
    'stages' in s ? Array.from({ length: s.times(args) }, () => launchesOf(s.stages, args)).flat() : [s],
  );

describe('cut into steps', () => {
  for (const program of conformancePrograms().filter((p) => !p.fails))
    it(`${program.name} means the same`, () => {
      const scalar = scalarizeVectorsOver(dialectsOf([])).run(program.module);
      if (E.isLeft(scalar)) throw new Error(scalar.left[0]!.message);
      const { module, of } = cutIntoSteps(scalar.right, dialectsOf([]));
      expect(verifyModule(module, dialectsOf([]))).toEqual([]);
      const [want, got] = [memoryOf(scalar.right, program), memoryOf(module, program)];
      const launches = program.launches ?? scalar.right.kernels.map((k) => ({ kernel: k.name, args: [] }));
      for (const { kernel, args } of launches) {
        expect(interpret(scalar.right, dialectsOf([]), want, { kernel, args })._tag).toBe('Right');
        for (const step of launchesOf(of.get(kernel)!, args))
          expect(interpret(module, dialectsOf([]), got, { kernel: step.kernel.name, args })._tag).toBe('Right');
      }
      for (const b of scalar.right.buffers)
        if (b.role !== 'scratch' && b.role !== 'const')
          expect(difference(got[b.name]!, want[b.name]!), b.name).toBeUndefined();
    });
});
