import * as fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import type { Diagnostics } from '@filigree/ir';
import { evaluateRegionsInParallel } from '@filigree/runtime';
import {
  builtinPrograms,
  evaluateRegions,
  forEachRun,
  solveProgram,
  type Regions,
  type SolvedProgram,
} from '@filigree/sparse/equations';
import { type CsrPattern } from '@filigree/sparse/formats';

const right = <A>(e: E.Either<Diagnostics, A>): A => {
  if (E.isLeft(e)) throw new Error(e.left.map((d) => `${d.code}: ${d.message}`).join('\n'));
  return e.right;
};

const foundBy = ({ evaluation, statements }: Regions): unknown => ({
  counts: statements.map((s) => s.count),
  rounds: evaluation.rounds,
  values: evaluation.values.map((v) => {
    const runs: number[] = [];
    forEachRun(v, (from, to) => void runs.push(from, to));
    return runs;
  }),
});

const solvedFor = (name: string, size: number): SolvedProgram => {
  const program = builtinPrograms.find((p) => p.name === name)!;
  const sizes = Object.fromEntries(Object.entries(program.sizes).map(([s, n]) => [s, n === 100 ? size : n]));
  return right(solveProgram(program.module(sizes)));
};

/** One of `every` elements of each array, in no order. */
const patterns = (solved: SolvedProgram, every: number): Record<string, CsrPattern> =>
  Object.fromEntries(
    solved.program.arrays
      .filter((a) => a.role === 'input' || a.role === 'inout')
      .map((a, k) => {
        const [rows, cols] = a.shape.length === 2 ? a.shape : [a.shape[0], 1];
        const rowPtr = new Int32Array(rows + 1);
        const colIdx: number[] = [];
        for (let i = 0; i < rows; i++) {
          for (let j = 0; j < cols; j++)
            if ((Math.imul(i * cols + j + 7 * k, 0x9e3779b1) >>> 8) % every === 0) colIdx.push(j);
          rowPtr[i + 1] = colIdx.length;
        }
        return [a.name, { rows, cols, rowPtr, colIdx: Int32Array.from(colIdx) }];
      }),
  );

describe('evaluateRegionsInParallel', () => {
  it('finds what one thread finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...builtinPrograms.map((p) => p.name)),
        fc.integer({ min: 9, max: 120 }),
        fc.constantFrom(2, 9, 50),
        async (name, size, every) => {
          const solved = solvedFor(name, size);
          const inputs = patterns(solved, every);
          const together = await evaluateRegionsInParallel(solved, inputs, { threads: 3, leastShared: 1 })();
          expect(foundBy(right(together))).toEqual(foundBy(right(evaluateRegions(solved, inputs))));
        },
      ),
      { numRuns: 20 },
    );
  });

  it('takes small work, and a single thread, as it comes', async () => {
    const solved = solvedFor('gemm', 20);
    const inputs = patterns(solved, 5);
    const expected = foundBy(right(evaluateRegions(solved, inputs)));
    for (const threads of [1, 4])
      expect(foundBy(right(await evaluateRegionsInParallel(solved, inputs, { threads })()))).toEqual(expected);
  });

  it('says what is wrong with inputs', async () => {
    const solved = solvedFor('gemm', 20);
    const inputs = { X: patterns(solved, 5).A };
    const result = await evaluateRegionsInParallel(solved, inputs, { threads: 2, leastShared: 1 })();
    expect(E.isLeft(result) && result.left[0].code).toBe('equations/input');
  });
});
