import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, multiply, scale, transpose, type NumericCsr } from '../src/index.js';

type Dense = number[][];

const dense = (A: NumericCsr): Dense => {
  const out = Array.from({ length: A.pattern.rows }, () => new Array<number>(A.pattern.cols).fill(0));
  for (let i = 0; i < A.pattern.rows; i++)
    for (let k = A.pattern.rowPtr[i]; k < A.pattern.rowPtr[i + 1]; k++) out[i][A.pattern.colIdx[k]] += A.values[k];
  return out;
};

const sparse = (D: Dense, cols: number): NumericCsr => {
  const rowPtr = [0];
  const colIdx: number[] = [];
  const values: number[] = [];
  for (const row of D) {
    row.forEach((x, j) => {
      if (x !== 0) {
        colIdx.push(j);
        values.push(x);
      }
    });
    rowPtr.push(colIdx.length);
  }
  return {
    pattern: { rows: D.length, cols, rowPtr: Int32Array.from(rowPtr), colIdx: Int32Array.from(colIdx) },
    values: Float64Array.from(values),
  };
};

/** Small whole numbers: their sums and products are exact. */
const denseOf = (rows: number, cols: number): fc.Arbitrary<Dense> =>
  fc.array(fc.array(fc.constantFrom(0, 0, 0, 1, -2, 3), { minLength: cols, maxLength: cols }), {
    minLength: rows,
    maxLength: rows,
  });

const matrices = fc
  .tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 6 }))
  .chain(([m, k, n]) =>
    fc.record({ A: denseOf(m, k), A2: denseOf(m, k), B: denseOf(k, n), k: fc.constant(k), n: fc.constant(n) }),
  );

describe('plain sparse algebra', () => {
  it('equals dense algebra', () => {
    fc.assert(
      fc.property(matrices, ({ A, A2, B, k, n }) => {
        expect(dense(multiply(sparse(A, k), sparse(B, n)))).toEqual(
          A.map((row) => Array.from({ length: n }, (_, j) => row.reduce((s, x, l) => s + x * B[l][j], 0))),
        );
        expect(dense(add(sparse(A, k), sparse(A2, k)))).toEqual(A.map((row, i) => row.map((x, j) => x + A2[i][j])));
        expect(dense(transpose(sparse(A, k)))).toEqual(Array.from({ length: k }, (_, j) => A.map((row) => row[j])));
        expect(dense(scale(3, sparse(A, k)))).toEqual(A.map((row) => row.map((x) => 3 * x)));
      }),
    );
  });

  it('keeps columns sorted, and entries that cancel', () => {
    const A = sparse([[0, 5, 0, 2]], 4);
    const sum = add(A, scale(-1, A));
    expect(Array.from(sum.pattern.colIdx)).toEqual([1, 3]);
    expect(Array.from(sum.values)).toEqual([0, 0]);
  });
});
