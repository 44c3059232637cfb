import {
  add,
  checkCsr,
  countProducts,
  diagonalMatrix,
  diagonalOf,
  elementwiseProduct,
  float32Ring,
  identityPattern,
  multiply,
  neg,
  numberRing,
  power,
  productPattern,
  scale,
  sub,
  subBlock,
  sumPattern,
  transpose,
  type Csr,
  type Ring,
} from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dense, denseMultiply, denseTranspose, gridLaplacian, matrixOf, side, sparse, thrown } from './support.js';

const R = numberRing;

/** −0 and 0 are one number in these comparisons. */
const plain = (m: Csr<Float64Array>) => dense(m).map((row) => row.map((x) => x + 0));

const pair = fc.tuple(side, side).chain(([r, c]) => fc.tuple(matrixOf(r, c), matrixOf(r, c)));
const chain = fc.tuple(side, side, side).chain(([r, n, c]) => fc.tuple(matrixOf(r, n), matrixOf(n, c), matrixOf(n, c)));

/** A ring of formulas: what a symbolic ring does, in readable form. */
const formulas: Ring<string[]> = {
  allocate: (n) => Array<string>(n).fill('0'),
  copy: (out, o, a, i) => void (out[o] = a[i]!),
  add: (out, o, a, i, b, j) => void (out[o] = `${a[i]}+${b[j]}`),
  sub: (out, o, a, i, b, j) => void (out[o] = `${a[i]}-${b[j]}`),
  neg: (out, o, a, i) => void (out[o] = `-${a[i]}`),
  scale: (out, o, s, a, i) => void (out[o] = `${s}*${a[i]}`),
  dot: (out, o, a, ai, b, bi, n) => {
    out[o] = Array.from({ length: n }, (_, t) => `${a[ai[t]!]}*${b[bi[t]!]}`).join('+');
  },
  sum: (out, o, a, ai, n) => void (out[o] = Array.from({ length: n }, (_, t) => a[ai[t]!]).join('+')),
};

const named = (m: Csr<Float64Array>, letter: string): Csr<string[]> => ({
  pattern: m.pattern,
  values: Array.from(m.values, (_, e) => `${letter}${e}`),
});

describe('against dense arithmetic in plain loops', () => {
  it('sum, difference, negation, scaling, element-wise product', () => {
    fc.assert(
      fc.property(pair, fc.integer({ min: -5, max: 5 }), ([a, b], s) => {
        const A = dense(a);
        const B = dense(b);
        const each = (f: (x: number, y: number) => number) => A.map((row, i) => row.map((x, j) => f(x, B[i]![j]!) + 0));
        expect(plain(add(R, a, b))).toEqual(each((x, y) => x + y));
        expect(plain(sub(R, a, b))).toEqual(each((x, y) => x - y));
        expect(plain(neg(R, a))).toEqual(each((x) => -x));
        expect(plain(scale(R, s, a))).toEqual(each((x) => s * x));
        expect(plain(elementwiseProduct(R, a, b))).toEqual(each((x, y) => x * y));
        expect(checkCsr(add(R, a, b).pattern)).toEqual([]);
        expect(checkCsr(elementwiseProduct(R, a, b).pattern)).toEqual([]);
      }),
    );
  });

  it('product and transpose', () => {
    fc.assert(
      fc.property(chain, ([a, b]) => {
        const p = multiply(R, a, b);
        expect(checkCsr(p.pattern)).toEqual([]);
        expect(plain(p)).toEqual(
          denseMultiply(dense(a), dense(b), a.pattern.cols, b.pattern.cols).map((row) => row.map((x) => x + 0)),
        );
        expect(dense(transpose(R, a))).toEqual(denseTranspose(dense(a), a.pattern.cols));
      }),
    );
  });

  it('products of long and of dense rows', () => {
    // Rows longer than any short-row method takes: scattered over a wide range, and filling a narrow one.
    const row = (n: number, cols: number, stride: number) =>
      Array.from({ length: n }, (_, k) => [k % 3, (k * stride) % cols, (k % 17) - 8] as const);
    for (const [cols, stride] of [
      [5000, 1237],
      [200, 7],
    ] as const) {
      const a = sparse(3, 3, [
        [0, 2, 2],
        [0, 0, 3],
        [0, 1, 1],
        [2, 1, -4],
        [1, 2, 1],
        [1, 0, 5],
      ]);
      const b = sparse(3, cols, row(400, cols, stride));
      const p = multiply(R, a, b);
      expect(checkCsr(p.pattern)).toEqual([]);
      expect(plain(p)).toEqual(denseMultiply(dense(a), dense(b), 3, cols).map((r) => r.map((x) => x + 0)));
    }
  });

  it('powers, in both orders', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 6 }).chain((n) => matrixOf(n, n)),
        fc.integer({ min: 1, max: 6 }),
        (a, k) => {
          const n = a.pattern.rows;
          let expected = dense(a);
          for (let t = 1; t < k; t++) expected = denseMultiply(expected, dense(a), n, n);
          expected = expected.map((row) => row.map((x) => x + 0));
          expect(plain(power(R, a, k))).toEqual(expected);
          expect(plain(power(R, a, k, 'squares'))).toEqual(expected);
        },
      ),
    );
  });

  it('sub-blocks and diagonals', () => {
    fc.assert(
      fc.property(pair, fc.nat(), fc.nat(), fc.nat(), fc.nat(), ([a], r0, r1, c0, c1) => {
        const { rows, cols } = a.pattern;
        const [row, rowEnd] = [r0 % (rows + 1), r1 % (rows + 1)].sort((x, y) => x - y) as [number, number];
        const [col, colEnd] = [c0 % (cols + 1), c1 % (cols + 1)].sort((x, y) => x - y) as [number, number];
        const block = subBlock(R, a, row, rowEnd, col, colEnd);
        expect(checkCsr(block.pattern)).toEqual([]);
        expect(dense(block)).toEqual(
          dense(a)
            .slice(row, rowEnd)
            .map((r) => r.slice(col, colEnd)),
        );
        const d = diagonalOf(R, a);
        expect([...d]).toEqual(Array.from({ length: Math.min(rows, cols) }, (_, i) => dense(a)[i]![i]));
        const D = diagonalMatrix(R, d.length, d);
        expect(dense(D)).toEqual([...d].map((x, i) => [...d].map((_, j) => (i === j ? x : 0))));
      }),
    );
  });
});

describe('laws, exact on integers', () => {
  it("(A·B)' = B'·A', A·(B + C) = A·B + A·C, I·A = A", () => {
    fc.assert(
      fc.property(chain, ([a, b, c]) => {
        const t = (m: Csr<Float64Array>) => transpose(R, m);
        const left = t(multiply(R, a, b));
        const right = multiply(R, t(b), t(a));
        expect(left.pattern).toEqual(right.pattern);
        expect(plain(left)).toEqual(plain(right));
        const factored = multiply(R, a, add(R, b, c));
        const spread = add(R, multiply(R, a, b), multiply(R, a, c));
        expect(factored.pattern).toEqual(spread.pattern);
        expect(plain(factored)).toEqual(plain(spread));
        const n = a.pattern.rows;
        const one = { pattern: identityPattern(n), values: new Float64Array(n).fill(1) };
        expect(multiply(R, one, a)).toEqual(a);
      }),
    );
  });

  it('patterns depend on patterns alone: entries that cancel stay', () => {
    const a = sparse(1, 2, [
      [0, 0, 1],
      [0, 1, 1],
    ]);
    const b = sparse(2, 1, [
      [0, 0, 1],
      [1, 0, -1],
    ]);
    const p = multiply(R, a, b);
    expect([...p.pattern.colIdx]).toEqual([0]);
    expect([...p.values]).toEqual([0]);
    expect(sub(R, a, a).pattern).toBe(a.pattern);
  });

  it('patterns are shared where one holds the other', () => {
    const l = gridLaplacian(4);
    const i = identityPattern(16);
    expect(sumPattern(l.pattern, i)).toBe(l.pattern);
    expect(sumPattern(i, l.pattern)).toBe(l.pattern);
  });
});

describe('over any ring', () => {
  it('calls dot once per output entry, in entry order, with the pairs in increasing k', () => {
    fc.assert(
      fc.property(chain, ([a, b]) => {
        const calls: number[] = [];
        const arrays = new Set<Int32Array>();
        const columnOfA = (e: number) => a.pattern.colIdx[e]!;
        let pairs = 0;
        const watching: Ring<Float64Array> = {
          ...R,
          dot: (out, o, x, ai, y, bi, n) => {
            calls.push(o);
            arrays.add(ai).add(bi);
            pairs += n;
            const ks = [...ai.subarray(0, n)].map(columnOfA);
            expect(n).toBeGreaterThan(0);
            expect(ks).toEqual([...new Set(ks)].sort((p, q) => p - q));
            R.dot(out, o, x, ai, y, bi, n);
          },
        };
        const p = multiply(watching, a, b);
        expect(calls).toEqual([...p.values.keys()]);
        expect(arrays.size).toBeLessThanOrEqual(2);
        expect(pairs).toBe(countProducts(a.pattern, b.pattern));
      }),
    );
  });

  it('builds formulas', () => {
    const full = sparse(2, 2, [
      [0, 0, 1],
      [0, 1, 1],
      [1, 0, 1],
      [1, 1, 1],
    ]);
    const lower = sparse(2, 2, [
      [0, 0, 1],
      [1, 0, 1],
      [1, 1, 1],
    ]);
    const a = named(full, 'a');
    const b = named(lower, 'b');
    expect(multiply(formulas, a, b).values).toEqual(['a0*b0+a1*b1', 'a1*b2', 'a2*b0+a3*b1', 'a3*b2']);
    expect(add(formulas, a, b).values).toEqual(['a0+b0', 'a1', 'a2+b1', 'a3+b2']);
    expect(sub(formulas, b, a).values).toEqual(['b0-a0', '-a1', 'b1-a2', 'b2-a3']);
    expect(scale(formulas, 2, b).values).toEqual(['2*b0', '2*b1', '2*b2']);
    expect(diagonalOf(formulas, b)).toEqual(['b0', 'b2']);
    expect(transpose(formulas, b).values).toEqual(['b0', 'b1', 'b2']);
    expect(elementwiseProduct(formulas, a, b).values).toEqual(['a0*b0', 'a2*b1', 'a3*b2']);
  });

  it('rounds every step in single precision', () => {
    const f = (m: Csr<Float64Array>): Csr<Float32Array> => ({
      pattern: m.pattern,
      values: Float32Array.from(m.values),
    });
    // In single precision 2^24 + 1 is 2^24.
    const a = f(
      sparse(1, 3, [
        [0, 0, 2 ** 24],
        [0, 1, 1],
        [0, 2, 1],
      ]),
    );
    const b = f(
      sparse(3, 1, [
        [0, 0, 1],
        [1, 0, 1],
        [2, 0, 1],
      ]),
    );
    expect([...multiply(float32Ring, a, b).values]).toEqual([2 ** 24]);
    expect([...scale(float32Ring, 0.1, f(sparse(1, 1, [[0, 0, 3]]))).values]).toEqual([
      Math.fround(Math.fround(0.1) * 3),
    ]);
  });
});

describe('refuses', () => {
  const a = sparse(2, 3, [[0, 0, 1]]);
  const b = sparse(2, 2, [[0, 0, 1]]);
  it.each([
    ['algebra/shape', () => add(R, a, b)],
    ['algebra/shape', () => sub(R, a, b)],
    ['algebra/shape', () => elementwiseProduct(R, a, b)],
    ['algebra/shape', () => multiply(R, a, b)],
    ['algebra/shape', () => productPattern(a.pattern, b.pattern)],
    ['algebra/power', () => power(R, a, 2)],
    ['algebra/power', () => power(R, b, 0)],
    ['algebra/power', () => power(R, b, 1.5)],
    ['algebra/range', () => subBlock(R, a, 0, 3, 0, 1)],
    ['algebra/range', () => subBlock(R, a, 1, 0, 0, 1)],
    ['algebra/range', () => subBlock(R, a, 0, 1, 0.5, 1)],
  ])('%s', (code, f) => {
    const d = thrown(f);
    expect(d.code).toBe(code);
    expect(d.remedy).toBeTruthy();
  });
});
