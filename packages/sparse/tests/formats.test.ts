import {
  assemble,
  bsrFromCsr,
  checkCsr,
  comparePatterns,
  coo,
  cooFromCsr,
  csrFromBsr,
  csrFromCsc,
  csrFromTriplets,
  cscFromCsr,
  diagonalEntries,
  diagonalPattern,
  findEntry,
  gather,
  identityPattern,
  numberRing,
  patternStats,
  samePattern,
  spy,
  transposePattern,
  type CsrPattern,
} from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dense, denseTranspose, gridLaplacian, matrixOf, side, sparse, thrown, tripletsOf, zeros } from './support.js';

const csr = (rows: number, cols: number, rowPtr: number[], colIdx: number[]): CsrPattern => ({
  rows,
  cols,
  rowPtr: Int32Array.from(rowPtr),
  colIdx: Int32Array.from(colIdx),
});

const shapes = fc.tuple(side, side);
const anyMatrix = shapes.chain(([r, c]) => matrixOf(r, c));

describe('csrFromTriplets', () => {
  it('sorts and merges, and says which entry each triplet adds to', () => {
    const { pattern, entry } = csrFromTriplets(3, 3, [2, 0, 2, 0], [1, 2, 1, 0]);
    expect(pattern).toEqual(csr(3, 3, [0, 2, 2, 3], [0, 2, 1]));
    expect([...entry]).toEqual([2, 1, 2, 0]);
  });

  it('makes a valid pattern whose values are the sums of the triplets', () => {
    fc.assert(
      fc.property(
        shapes.chain(([r, c]) => fc.tuple(fc.constant(r), fc.constant(c), tripletsOf(r, c))),
        ([r, c, triplets]) => {
          const m = sparse(r, c, triplets);
          expect(checkCsr(m.pattern)).toEqual([]);
          const sum = zeros(r, c);
          for (const [i, j, v] of triplets) sum[i]![j]! += v;
          expect(dense(m)).toEqual(sum);
          expect(m.pattern.colIdx.length).toBe(new Set(triplets.map(([i, j]) => i * 100 + j)).size);
        },
      ),
    );
  });

  it('sums duplicates in input order', () => {
    // In double precision (1e16 + 1) − 1e16 is 0, while (1e16 − 1e16) + 1 is 1.
    const sum = (...v: number[]) =>
      assemble(numberRing, csrFromTriplets(1, 1, [0, 0, 0], [0, 0, 0]), Float64Array.from(v)).values[0];
    expect(sum(1e16, 1, -1e16)).toBe(0);
    expect(sum(1e16, -1e16, 1)).toBe(1);
  });

  it.each([
    ['coo/range', () => csrFromTriplets(2, 2, [0, 2], [0, 0])],
    ['coo/range', () => csrFromTriplets(2, 2, [0, 0], [0, -1])],
    ['coo/range', () => csrFromTriplets(2, 2, [0.5], [0])],
    ['coo/range', () => csrFromTriplets(2, 2, [NaN], [0])],
    ['coo/length', () => csrFromTriplets(2, 2, [0, 1], [0])],
    ['coo/length', () => (csrFromTriplets as (...args: unknown[]) => unknown)(2, 2, [[0, 0, 1]])],
    ['coo/shape', () => csrFromTriplets(-1, 2, [], [])],
    ['coo/shape', () => coo(1.5, 2, [], [])],
    ['coo/shape', () => coo(2, 2 ** 31, [], [])],
  ])('refuses bad triplets: %s', (code, f) => {
    const d = thrown(f);
    expect(d.code).toBe(code);
    expect(d.remedy).toBeTruthy();
  });
});

describe('conversions', () => {
  it('go to CSC and back, to the transpose and back, with values following', () => {
    fc.assert(
      fc.property(anyMatrix, (m) => {
        const csc = cscFromCsr(m.pattern);
        const cscValues = gather(m.values, csc.from);
        for (let j = 0; j < m.pattern.cols; j++) {
          const rows = [...csc.pattern.rowIdx.subarray(csc.pattern.colPtr[j], csc.pattern.colPtr[j + 1])];
          expect(rows).toEqual([...new Set(rows)].sort((a, b) => a - b));
          for (let e = csc.pattern.colPtr[j]!; e < csc.pattern.colPtr[j + 1]!; e++) {
            expect(cscValues[e]).toBe(m.values[findEntry(m.pattern, csc.pattern.rowIdx[e]!, j)]);
          }
        }
        const back = csrFromCsc(csc.pattern);
        expect(back.pattern).toEqual(m.pattern);
        expect(gather(cscValues, back.from)).toEqual(m.values);

        const t = transposePattern(m.pattern);
        expect(checkCsr(t.pattern)).toEqual([]);
        expect(dense({ pattern: t.pattern, values: gather(m.values, t.from) })).toEqual(
          denseTranspose(dense(m), m.pattern.cols),
        );
        expect(transposePattern(t.pattern).pattern).toEqual(m.pattern);
      }),
    );
  });

  it('go to COO in the same order', () => {
    fc.assert(
      fc.property(anyMatrix, (m) => {
        const p = cooFromCsr(m.pattern);
        const again = csrFromTriplets(p.rows, p.cols, p.rowIdx, p.colIdx);
        expect(again.pattern).toEqual(m.pattern);
        expect([...again.entry]).toEqual([...again.entry.keys()]);
      }),
    );
  });

  it('go to BSR and back for any block size, padding with zeros', () => {
    fc.assert(
      fc.property(anyMatrix, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 }), (m, br, bc) => {
        const bsr = bsrFromCsr(m.pattern, br, bc);
        const back = csrFromBsr(bsr.pattern);
        expect(checkCsr(back.pattern)).toEqual([]);
        expect(dense({ pattern: back.pattern, values: gather(gather(m.values, bsr.from), back.from) })).toEqual(
          dense(m),
        );
        expect([...bsr.from].filter((f) => f >= 0).sort((a, b) => a - b)).toEqual([...m.values.keys()]);
        const p = cooFromCsr(m.pattern);
        const blocks = new Set([...p.rowIdx].map((i, e) => `${Math.floor(i / br)},${Math.floor(p.colIdx[e]! / bc)}`));
        expect(bsr.pattern.colIdx.length).toBe(blocks.size);
      }),
    );
  });

  it('carry node ids and big integers as they carry numbers', () => {
    const { from } = bsrFromCsr(csr(2, 2, [0, 1, 2], [0, 1]), 2, 2);
    expect(gather(Int32Array.of(7, 8), from, -1)).toEqual(Int32Array.of(7, -1, -1, 8));
    expect(gather(BigInt64Array.of(7n, 8n), from)).toEqual(BigInt64Array.of(7n, 0n, 0n, 8n));
  });

  it('refuses blocks of no size', () => {
    expect(thrown(() => bsrFromCsr(identityPattern(2), 0, 1)).code).toBe('bsr/block');
    expect(thrown(() => bsrFromCsr(identityPattern(2), 2 ** 16, 2 ** 16)).code).toBe('bsr/block');
  });
});

describe('special patterns', () => {
  it('have their entries on the diagonal', () => {
    expect(identityPattern(3)).toEqual(csr(3, 3, [0, 1, 2, 3], [0, 1, 2]));
    expect(diagonalPattern(3, 2)).toEqual(csr(3, 2, [0, 1, 2, 2], [0, 1]));
    expect(diagonalPattern(2, 3)).toEqual(csr(2, 3, [0, 1, 2], [0, 1]));
    expect([...diagonalEntries(csr(3, 3, [0, 2, 3, 5], [0, 1, 0, 1, 2]))]).toEqual([0, -1, 4]);
  });
});

describe('checkCsr', () => {
  it.each([
    ['csr/shape', csr(-1, 1, [0], [])],
    ['csr/row-pointer', csr(2, 2, [0, 0], [])],
    ['csr/row-pointer', csr(1, 2, [1, 1], [0])],
    ['csr/row-pointer', csr(2, 2, [0, 2, 1], [0])],
    ['csr/row-pointer', csr(1, 2, [0, 1], [0, 1])],
    ['csr/column-range', csr(1, 2, [0, 1], [2])],
    ['csr/column-range', csr(1, 2, [0, 1], [-1])],
    ['csr/column-order', csr(1, 2, [0, 2], [1, 0])],
    ['csr/column-order', csr(1, 2, [0, 2], [1, 1])],
  ])('says %s', (code, pattern) => {
    const [d] = checkCsr(pattern);
    expect(d?.code).toBe(code);
    expect(d?.remedy).toBeTruthy();
  });

  it('is silent on a valid pattern', () => expect(checkCsr(gridLaplacian(5).pattern)).toEqual([]));
});

describe('comparePatterns', () => {
  const p = csr(2, 3, [0, 2, 3], [0, 2, 1]);
  it.each([
    ['is 3 × 3', csr(3, 3, [0, 2, 3, 3], [0, 2, 1])],
    ['lacks the entry (0, 2)', csr(2, 3, [0, 1, 2], [0, 1])],
    ['has the entry (0, 1)', csr(2, 3, [0, 3, 4], [0, 1, 2, 1])],
    ['lacks the entry (1, 1)', csr(2, 3, [0, 2, 3], [0, 2, 2])],
    ['has the entry (1, 0)', csr(2, 3, [0, 2, 4], [0, 2, 0, 1])],
  ])('names the first difference: %s', (what, other) => {
    const d = comparePatterns(p, other, 'L');
    expect(d?.code).toBe('pattern/mismatch');
    expect(d?.message).toContain(`L ${what}`);
    expect(samePattern(p, other)).toBe(false);
  });

  it('finds equal patterns equal', () => {
    expect(comparePatterns(p, csr(2, 3, [0, 2, 3], [0, 2, 1]))).toBeUndefined();
  });
});

describe('patternStats', () => {
  it('counts by hand', () => {
    expect(patternStats(csr(3, 4, [0, 3, 3, 4], [0, 1, 3, 1]))).toEqual({
      rows: 3,
      cols: 4,
      nnz: 4,
      perRow: { min: 0, mean: 4 / 3, max: 3 },
      lowerBandwidth: 1,
      upperBandwidth: 3,
      bandwidth: 3,
      symmetric: false,
    });
  });

  it('knows a grid, and symmetry of structure', () => {
    const s = patternStats(gridLaplacian(6).pattern);
    expect(s).toMatchObject({ nnz: 36 + 2 * 60, bandwidth: 6, symmetric: true, perRow: { min: 3, max: 5 } });
    expect(patternStats(csr(2, 2, [0, 1, 1], [1])).symmetric).toBe(false);
    expect(patternStats(csr(0, 0, [0], []))).toMatchObject({ nnz: 0, perRow: { min: 0, mean: 0, max: 0 } });
  });
});

describe('spy', () => {
  it('magnifies a small pattern', () => {
    const o = 0;
    const x = 255;
    expect([...spy(csr(2, 2, [0, 1, 2], [0, 1]), 4)]).toEqual([x, x, o, o, x, x, o, o, o, o, x, x, o, o, x, x]);
  });

  it('gives densities of a large one, and shows a lone entry', () => {
    // Rows 0 and 1 are full, row 3 has one entry: 4 entries on the upper pixels, 1 on the lower right one.
    const raster = spy(csr(4, 4, [0, 4, 8, 8, 9], [0, 1, 2, 3, 0, 1, 2, 3, 3]), 2);
    expect([...raster]).toEqual([255, 255, 0, Math.ceil(255 / 4)]);
  });

  it('keeps the proportions', () => expect([...spy(csr(1, 2, [0, 2], [0, 1]), 2)]).toEqual([255, 255, 0, 0]));

  it('refuses a raster of no size', () => expect(thrown(() => spy(identityPattern(2), 0)).code).toBe('spy/size'));
});
