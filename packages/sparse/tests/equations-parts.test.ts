import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  builtinPrograms,
  evaluateRegions,
  performWork,
  regionSteps,
  solveProgram,
  type Platform,
  type Regions,
  type SolvedProgram,
  type SparseInputs,
} from '@filigree/sparse/equations';
import { codesOf, randomInputs, randomSource, right } from './equations-support.js';

/** Everything that an evaluation finds, as plain data. */
const foundBy = ({ evaluation, statements }: Regions): unknown => ({
  counts: statements.map((s) => s.count),
  points: statements.map((s) => codesOf(s.points())),
  values: evaluation.values.map((v) => ({ count: v.count, codes: codesOf(v) })),
  rounds: evaluation.rounds,
});

/** Evaluates as threads would: every work on a copy whose arrays are shared, in any order. */
const inParts = (
  solved: SolvedProgram,
  inputs: SparseInputs,
  parts: number,
  random: () => number,
): { readonly regions: Regions; readonly most: number } => {
  const allocate: Platform['allocate'] = (bytes) => new SharedArrayBuffer(bytes);
  const steps = regionSteps(solved, inputs, { allocate, parts, leastPart: 1 });
  let most = 0;
  let step = steps.next();
  while (step.done !== true) {
    const works = step.value;
    most = Math.max(most, works.length);
    const answers = new Array<unknown>(works.length);
    const order = works.map((_, k) => ({ k, at: random() })).sort((a, b) => a.at - b.at);
    for (const { k } of order) answers[k] = structuredClone(performWork(structuredClone(works[k]), allocate));
    step = steps.next(answers);
  }
  return { regions: step.value, most };
};

describe('regions in parts', () => {
  it('are those of one thread, whatever the parts, their order, and who does them', () => {
    let most = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...builtinPrograms.map((p) => p.name)),
        fc.integer(),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0.02, 0.1, 0.4, 0.9),
        (name, seed, parts, density) => {
          const random = randomSource(seed);
          const program = builtinPrograms.find((p) => p.name === name)!;
          const sizes = Object.fromEntries(
            Object.keys(program.sizes).map((s) => [
              s,
              s === 'T' ? 3 : s === 'M' && name === 'stencil' ? 2 : 6 + Math.floor(random() * 60),
            ]),
          );
          const solved = right(solveProgram(program.module(sizes)));
          const inputs = randomInputs(solved, random, density);
          const found = inParts(solved, inputs, parts, random);
          most = Math.max(most, found.most);
          expect(foundBy(found.regions)).toEqual(foundBy(right(evaluateRegions(solved, inputs))));
        },
      ),
      { numRuns: 40 },
    );
    expect(most).toBeGreaterThan(4);
  });
});
