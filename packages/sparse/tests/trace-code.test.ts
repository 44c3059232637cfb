import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coreDialects, interpret, verifyModule, type Module, type TypedArray } from '@filigree/ir';
import { type CsrPattern } from '@filigree/sparse/formats';
import {
  packValues,
  pieceKernel,
  reconstructPattern,
  restrictPieces,
  sddmmKernel,
  solveKernel,
  spmmKernel,
  spmvFromPieces,
  spmvKernel,
  type SparseKernel,
} from '@filigree/sparse/trace';
import { gathered, numbers, patternOf, patterns, rowByRow } from './pattern-samples.js';
import { gridLaplacian, left, right, thrown } from './support.js';

/** Runs the only kernel of a module, which must be well-formed. */
const run = (module: Module, buffers: Record<string, TypedArray>): void => {
  expect(verifyModule(module, coreDialects)).toEqual([]);
  right(interpret(module, coreDialects, buffers));
};

/** Sums of nothing have no sign. */
const unsigned = (values: Float64Array | Float32Array): readonly number[] => Array.from(values, (v) => v + 0);

/** Every value is read, and all but one once at most. */
const readsAll = ({ from }: SparseKernel, entries: number): void => {
  expect([...new Set(from)].sort((a, b) => a - b)).toEqual(Array.from({ length: entries }, (_, k) => k));
  expect(from.length).toBeLessThanOrEqual(entries + 1);
};

/** Numbers of columns of a dense matrix: some that one vector holds, and some that need many and leave a rest. */
const widths = fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) }, fc.constantFrom(17, 39, 70));

/** A kernel for a matrix times a vector, against a loop over the entries. */
const timesVector = (p: CsrPattern, kernel: SparseKernel, dtype: 'f32' | 'f64'): void => {
  const Numbers = dtype === 'f64' ? Float64Array : Float32Array;
  readsAll(kernel, p.colIdx.length);
  const values = numbers(p.colIdx.length, 1);
  const A = new Numbers(kernel.from.length);
  packValues(kernel, values, A);
  const [x, y] = [Numbers.from(numbers(p.cols, 7)), new Numbers(p.rows).fill(NaN)];
  run(kernel.module, { A, x, y });
  const expected = new Float64Array(p.rows);
  rowByRow(p, (i, j, at) => (expected[i]! += values[at]! * x[j]!));
  expect(unsigned(y)).toEqual(unsigned(expected));
};

describe('kernels of a pattern compute what a loop over its entries does', () => {
  const property = (check: (p: CsrPattern) => void): void => fc.assert(fc.property(patterns, check), { numRuns: 25 });

  it('a matrix times a vector', () =>
    fc.assert(
      fc.property(patterns, fc.constantFrom('f32', 'f64'), (p, dtype) =>
        timesVector(p, spmvKernel(p, { dtype }), dtype),
      ),
      { numRuns: 80 },
    ));

  it('a matrix times a vector where rows have nothing in common but many entries', () =>
    fc.assert(
      fc.property(
        fc.array(fc.nat(40), { minLength: 1, maxLength: 12 }),
        fc.constantFrom('f32', 'f64'),
        (lengths, dtype) => {
          const rows = lengths.map((length, i) =>
            [...new Set(Array.from({ length }, (_, k) => (Math.imul(41 * i + k + 1, 0x9e3779b1) >>> 7) % 997))].sort(
              (a, b) => a - b,
            ),
          );
          const p = patternOf(997, rows);
          const kernel = spmvKernel(p, { dtype });
          fc.pre(kernel.rows.length > 0);
          timesVector(p, kernel, dtype);
        },
      ),
      { numRuns: 60 },
    ));

  it('a matrix times a vector where rows are long runs of columns', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.array(fc.record({ gap: fc.integer({ min: 1, max: 60 }), length: fc.integer({ min: 0, max: 90 }) }), {
            minLength: 1,
            maxLength: 3,
          }),
          { minLength: 6, maxLength: 12 },
        ),
        fc.constantFrom('f32', 'f64'),
        (shapes, dtype) => {
          const rows = shapes.map((runs) => {
            let column = 0;
            return runs.flatMap(({ gap, length }) => {
              const first = column + gap;
              column = first + length;
              return Array.from({ length }, (_, k) => first + k);
            });
          });
          const p = patternOf(600, rows);
          const kernel = spmvKernel(p, { dtype });
          fc.pre(kernel.runs.length > 0);
          timesVector(p, kernel, dtype);
        },
      ),
      { numRuns: 60 },
    ));

  it('the same from pieces of its trace', () =>
    property((p) => {
      const { pieces } = right(reconstructPattern(p));
      const module = spmvFromPieces(pieces, p.rows, p.cols);
      const [A, x, y] = [numbers(p.colIdx.length, 1), numbers(p.cols, 7), new Float64Array(p.rows).fill(NaN)];
      run(module, { A, x, y });
      const expected = new Float64Array(p.rows);
      rowByRow(p, (i, j, at) => (expected[i]! += A[at]! * x[j]!));
      expect(unsigned(y)).toEqual(unsigned(expected));
    }));

  it('a matrix times a dense one', () =>
    fc.assert(
      fc.property(patterns, widths, (p, width) => {
        const kernel = spmmKernel(p, width);
        const values = numbers(p.colIdx.length, 3);
        const [X, Y] = [numbers(p.cols * width, 5), new Float64Array(p.rows * width).fill(NaN)];
        run(kernel.module, { A: gathered(values, kernel.from), X, Y });
        const expected = new Float64Array(p.rows * width);
        rowByRow(p, (i, j, at) => {
          for (let n = 0; n < width; n++) expected[i * width + n]! += values[at]! * X[j * width + n]!;
        });
        expect(unsigned(Y)).toEqual(unsigned(expected));
      }),
      { numRuns: 60 },
    ));

  it('a sampled product of dense ones', () =>
    fc.assert(
      fc.property(patterns, widths, (p, width) => {
        const kernel = sddmmKernel(p, width);
        const values = numbers(p.colIdx.length, 3);
        const [U, V] = [numbers(p.rows * width, 5), numbers(p.cols * width, 11)];
        const B = new Float64Array(p.colIdx.length).fill(NaN);
        run(kernel.module, { A: gathered(values, kernel.from), U, V, B });
        const expected = new Float64Array(p.colIdx.length);
        rowByRow(p, (i, j, at) => {
          let sum = 0;
          for (let n = 0; n < width; n++) sum += U[i * width + n]! * V[j * width + n]!;
          expected[at] = values[at]! * sum;
        });
        expect(unsigned(B)).toEqual(unsigned(gathered(expected, kernel.from)));
      }),
      { numRuns: 60 },
    ));

  it('both triangular solves', () =>
    fc.assert(
      fc.property(patterns, fc.constantFrom('lower', 'upper'), (p, triangle) => {
        const n = Math.min(p.rows, p.cols);
        const rows = Array.from({ length: n }, (_, i) => {
          const own = [...p.colIdx.subarray(p.rowPtr[i], p.rowPtr[i + 1])];
          const kept = own.filter((j) => j < n && (triangle === 'lower' ? j < i : j > i));
          return [...kept, i].sort((a, b) => a - b);
        });
        const t = patternOf(n, rows);
        const kernel = solveKernel(t, { triangle });
        readsAll(kernel, t.colIdx.length);
        const values = numbers(t.colIdx.length, 3);
        /* Ones and minus ones on the diagonal keep the answer whole. */
        rowByRow(t, (i, j, at) => (values[at] = i === j ? (at % 2 === 0 ? 1 : -1) : Math.sign(values[at]!)));
        const answer = numbers(n, 13);
        const b = new Float64Array(n);
        rowByRow(t, (i, j, at) => (b[i]! += values[at]! * answer[j]!));
        const x = new Float64Array(n).fill(NaN);
        run(kernel.module, { A: gathered(values, kernel.from), b, x });
        expect(unsigned(x)).toEqual(unsigned(answer));
      }),
      { numRuns: 80 },
    ));
});

describe('index tables', () => {
  it('are far smaller than those of CSR on a grid', () => {
    const p = gridLaplacian(40).pattern;
    const { indexBytes } = spmvKernel(p);
    expect(indexBytes).toBeLessThan((4 * (p.rows + p.colIdx.length)) / 20);
  });

  it('name no entry of a dense matrix, a triangle or a wide band', () => {
    const n = 300;
    const rowOf = {
      dense: () => [0, n],
      triangle: (i: number) => [0, i + 1],
      band: (i: number) => [Math.max(0, i - 100), Math.min(n, i + 101)],
    };
    for (const [name, of] of Object.entries(rowOf)) {
      const rows = Array.from({ length: n }, (_, i) => {
        const [from, to] = of(i);
        return Array.from({ length: to - from }, (_, k) => from + k);
      });
      const p = patternOf(n, rows);
      expect(spmvKernel(p).indexBytes, name).toBeLessThan(0.2 * p.colIdx.length);
    }
  });

  it('are there for a pattern without any order, too', () => {
    const rows = Array.from({ length: 50 }, (_, i) =>
      [...new Set([1, 2, 3].map((k) => (Math.imul(i * 3 + k, 0x9e3779b1) >>> 8) % 97))].sort((a, b) => a - b),
    );
    const { indexBytes } = spmvKernel(patternOf(97, rows));
    expect(indexBytes).toBeGreaterThan(0);
    expect(indexBytes).toBeLessThan(4 * (50 + 150));
  });
});

describe('a statement at the points of pieces', () => {
  it('runs once for each of them', () => {
    const p = gridLaplacian(5).pattern;
    const { pieces } = right(reconstructPattern(p));
    const count = { name: 'n', type: 'i32', length: p.colIdx.length, role: 'inout' } as const;
    const module = pieceKernel('count', pieces, {
      buffers: [count],
      point: (b, [at]) => b.store('n', b.add(b.load('n', at!), b.i32(1)), at!),
    });
    const n = new Int32Array(p.colIdx.length);
    run(module, { n });
    expect([...n]).toEqual(Array.from(n, () => 1));
  });
});

describe('a dense program restricted to pieces', () => {
  const input = (name: string, length: number) => ({ name, type: 'f64', length, role: 'input' }) as const;
  const output = (name: string, length: number) => ({ name, type: 'f64', length, role: 'output' }) as const;

  it('samples a product of dense matrices, and sums rows', () =>
    fc.assert(
      fc.property(patterns, fc.integer({ min: 1, max: 4 }), (p, width) => {
        const { pieces } = right(reconstructPattern(p));
        const [n, m] = [p.rows, p.cols];
        const [U, V, A] = [numbers(n * width, 3), numbers(width * m, 5), numbers(p.colIdx.length, 9)];
        const module = pieceKernel('sampled', pieces, {
          buffers: [
            input('A', A.length),
            input('U', U.length),
            input('V', V.length),
            output('R', A.length),
            { ...output('sums', n), role: 'inout' },
          ],
          point: (b, [at, i, j], type) => {
            const whole = (k: number) => b.constant(type === 'i64' ? BigInt(k) : k, type);
            const [dot] = b.for(whole(0), whole(width), whole(1), {}, [b.f64(0)], (k, [s]) => {
              const u = b.load('U', b.add(b.mul(i!, whole(width)), k));
              return b.add(s!, b.mul(u, b.load('V', b.add(b.mul(k, whole(m)), j!))));
            });
            const value = b.mul(b.load('A', at!), dot!);
            b.store('R', value, at!);
            b.store('sums', b.add(b.load('sums', i!), value), i!);
          },
        });
        const [R, sums] = [new Float64Array(A.length).fill(NaN), new Float64Array(n)];
        run(module, { A, U, V, R, sums });
        const expected = new Float64Array(n);
        rowByRow(p, (i, j, at) => {
          let dot = 0;
          for (let k = 0; k < width; k++) dot += U[i * width + k]! * V[k * m + j]!;
          expect(R[at]! + 0).toBe(A[at]! * dot + 0);
          expected[i]! += A[at]! * dot;
        });
        expect(unsigned(sums)).toEqual(unsigned(expected));
      }),
      { numRuns: 30 },
    ));

  it('visits exactly the entries that lie in its domain, a band or a triangle', () =>
    fc.assert(
      fc.property(patterns, fc.integer({ min: -4, max: 4 }), fc.nat(5), (p, shift, breadth) => {
        const { pieces } = right(reconstructPattern(p));
        /* shift ≤ j − i ≤ shift + breadth, and 2·j ≤ 3·i + 7. */
        const band = restrictPieces(pieces, [
          { coefs: [0, -1, 1], constant: -shift },
          { coefs: [0, 1, -1], constant: shift + breadth },
          { coefs: [0, 3, -2], constant: 7 },
        ]);
        const module = pieceKernel('band', band, {
          buffers: [{ name: 'n', type: 'i32', length: p.colIdx.length, role: 'inout' }],
          point: (b, [at]) => b.store('n', b.add(b.load('n', at!), b.i32(1)), at!),
        });
        const n = new Int32Array(p.colIdx.length);
        run(module, { n });
        const expected = new Int32Array(p.colIdx.length);
        rowByRow(p, (i, j, at) => {
          if (j - i >= shift && j - i <= shift + breadth && 2 * j <= 3 * i + 7) expected[at] = 1;
        });
        expect([...n]).toEqual([...expected]);
        expect(band.reduce((sum, q) => sum + q.count, 0)).toBe(expected.reduce((sum, k) => sum + k, 0));
      }),
      { numRuns: 60 },
    ));
});

describe('bad input', () => {
  const square = patternOf(2, [[0], [0, 1]]);

  it('is refused with a code', () => {
    expect(thrown(() => spmvKernel({ ...square, colIdx: Int32Array.from([0, 0, 5]) }))).not.toEqual([]);
    const packed = (): void => packValues(spmvKernel(square), [1, 2], new Float64Array(3));
    expect(thrown(packed).code).toBe('trace/values');
    expect(thrown(() => spmmKernel(square, 0)).code).toBe('trace/width');
    expect(thrown(() => sddmmKernel(square, 2.5)).code).toBe('trace/width');
    expect(thrown(() => solveKernel(patternOf(3, [[0], [1]]))).code).toBe('trace/square');
    expect(thrown(() => solveKernel(square, { triangle: 'upper' })).code).toBe('trace/triangle');
    expect(thrown(() => solveKernel(patternOf(2, [[0], [0]]))).code).toBe('trace/diagonal');
    const whole = right(reconstructPattern(square)).pieces;
    expect(thrown(() => restrictPieces(whole, [{ coefs: [0, 0, 0, 1], constant: 0 }])).code).toBe('trace/streams');
    expect(thrown(() => restrictPieces(whole, [{ coefs: [0, 0.5], constant: 0 }])).code).toBe('trace/constraint');
    const pieces = right(reconstructPattern(square)).pieces.map((q) => ({ ...q, access: [] }));
    expect(thrown(() => spmvFromPieces(pieces, 2, 2)).code).toBe('trace/streams');
    expect(left(reconstructPattern({ ...square, rowPtr: Int32Array.from([0, 3, 1]) })).code).toMatch(/^csr\//);
  });
});
