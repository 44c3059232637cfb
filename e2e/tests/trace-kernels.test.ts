import { cpp } from '@filigree/backend-cpp';
import type { Module, TypedArray } from '@filigree/ir';
import { instantiate } from '@filigree/runtime';
import { type CsrPattern } from '@filigree/sparse/formats';
import {
  packValues,
  reconstructPattern,
  sddmmKernel,
  solveKernel,
  spmmKernel,
  spmvFromPieces,
  spmvKernel,
} from '@filigree/sparse/trace';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gathered, numbers, patternOf, patterns, rowByRow } from '../../packages/sparse/tests/pattern-samples.js';
import { gridLaplacian, right } from '../../packages/sparse/tests/support.js';

/** Some random parts on top of each other, since compiling takes longer than running. */
const stacked = (seed: number): CsrPattern => {
  const parts = fc.sample(patterns, { numRuns: 12, seed });
  const rows = parts.flatMap((p) => Array.from({ length: p.rows }, (_, i) => [...rowOf(p, i)]));
  return patternOf(Math.max(...parts.map((p) => p.cols)), rows);
};

const rowOf = (p: CsrPattern, i: number): Int32Array => p.colIdx.slice(p.rowPtr[i], p.rowPtr[i + 1]);

const lowerOf = (p: CsrPattern): CsrPattern => {
  const n = Math.min(p.rows, p.cols);
  return patternOf(
    n,
    Array.from({ length: n }, (_, i) => [...[...rowOf(p, i)].filter((j) => j < i), i]),
  );
};

/** So many rows of 0 to 40 entries. */
const unlike = (rows: number): number[][] =>
  Array.from({ length: rows }, (_, i) =>
    [
      ...new Set(Array.from({ length: (7 * i) % 41 }, (_, k) => (Math.imul(41 * i + k + 1, 0x9e3779b1) >>> 7) % 997)),
    ].sort((a, b) => a - b),
  );

const samples: readonly (readonly [string, CsrPattern])[] = [
  ['random parts', stacked(5)],
  ['a grid', gridLaplacian(12).pattern],
  ['rows that have nothing in common', patternOf(997, unlike(30))],
  ['one entry', patternOf(1, [[0]])],
  ['empty rows', patternOf(3, [[], [], [], [], [], [1], []])],
];

/** Runs the kernel of a module natively; outputs begin as NaN, so that what is not written is seen. */
const run = async (module: Module, inputs: Record<string, TypedArray>, output: string): Promise<readonly number[]> => {
  const instance = right(await instantiate(module, cpp(), { flags: ['-O1'] })());
  try {
    for (const [name, data] of Object.entries(inputs))
      (instance.buffers[name] as Float64Array).set(data as Float64Array);
    const out = instance.buffers[output] as Float64Array;
    out.fill(NaN);
    instance.run();
    return Array.from(out, (v) => v + 0);
  } finally {
    instance.dispose();
  }
};

describe.each(samples)('compiled kernels of %s compute what a loop over its entries does', (_name, p) => {
  const values = numbers(p.colIdx.length, 1);

  it.each(['f64', 'f32'] as const)('a matrix times a vector in %s', async (dtype) => {
    const kernel = spmvKernel(p, { dtype });
    const A = new (dtype === 'f64' ? Float64Array : Float32Array)(kernel.from.length);
    packValues(kernel, values, A);
    const x = numbers(p.cols, 7);
    const expected = new Float64Array(p.rows);
    rowByRow(p, (i, j, at) => (expected[i]! += values[at]! * x[j]!));
    expect(await run(kernel.module, { A, x }, 'y')).toEqual(Array.from(expected, (v) => v + 0));
  });

  it('the same from pieces', async () => {
    const { pieces } = right(reconstructPattern(p));
    const x = numbers(p.cols, 7);
    const expected = new Float64Array(p.rows);
    rowByRow(p, (i, j, at) => (expected[i]! += values[at]! * x[j]!));
    const found = await run(spmvFromPieces(pieces, p.rows, p.cols), { A: values, x }, 'y');
    expect(found).toEqual(Array.from(expected, (v) => v + 0));
  });

  it.each([5, 39])('a matrix times a dense one of %i columns, and a sampled product of dense ones', async (width) => {
    const [X, U] = [numbers(p.cols * width, 5), numbers(p.rows * width, 11)];
    const spmm = spmmKernel(p, width);
    const sddmm = sddmmKernel(p, width);
    const Y = new Float64Array(p.rows * width);
    const B = new Float64Array(p.colIdx.length);
    rowByRow(p, (i, j, at) => {
      for (let n = 0; n < width; n++) {
        Y[i * width + n]! += values[at]! * X[j * width + n]!;
        B[at]! += values[at]! * U[i * width + n]! * X[j * width + n]!;
      }
    });
    expect(await run(spmm.module, { A: gathered(values, spmm.from), X }, 'Y')).toEqual(Array.from(Y, (v) => v + 0));
    const found = await run(sddmm.module, { A: gathered(values, sddmm.from), U, V: X }, 'B');
    expect(found).toEqual(Array.from(gathered(B, sddmm.from), (v) => v + 0));
  });

  it('a triangular solve', async () => {
    const t = lowerOf(p);
    const kernel = solveKernel(t);
    const own = numbers(t.colIdx.length, 3).map((v) => Math.sign(v));
    /* Ones and minus ones on the diagonal keep the answer whole. */
    rowByRow(t, (i, j, at) => void (i === j && (own[at] = at % 2 === 0 ? 1 : -1)));
    const answer = numbers(t.rows, 13);
    const b = new Float64Array(t.rows);
    rowByRow(t, (i, j, at) => (b[i]! += own[at]! * answer[j]!));
    expect(await run(kernel.module, { A: gathered(own, kernel.from), b }, 'x')).toEqual(
      Array.from(answer, (v) => v + 0),
    );
  });
});
