import {
  readMatrixMarket,
  writeMatrixMarket,
  type MatrixMarketOptions,
  type ReadOptions,
} from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dense, gridLaplacian, left, matrixOf, right, side, sparse } from './support.js';

const read = (text: string, options?: ReadOptions) => right(readMatrixMarket(text, options));
const readDense = (text: string, options?: ReadOptions) => dense(read(text, options));
const coordinate = (kind: string, ...lines: string[]) =>
  [`%%MatrixMarket matrix coordinate ${kind}`, ...lines, ''].join('\n');
const array = (kind: string, ...lines: string[]) => [`%%MatrixMarket matrix array ${kind}`, ...lines, ''].join('\n');
const writeText = (m: Parameters<typeof writeMatrixMarket>[0], options?: MatrixMarketOptions) =>
  new TextDecoder().decode(right(writeMatrixMarket(m, options)));

describe('reading', () => {
  it('takes real general coordinates', () => {
    const m = read(coordinate('real general', '2 3 3', '1 1 1.5', '2 3 -2e1', '1 2 .5'));
    expect(dense(m)).toEqual([
      [1.5, 0.5, 0],
      [0, 0, -20],
    ]);
    expect(m).toMatchObject({ field: 'real', symmetry: 'general', stored: 3, comments: [] });
  });

  it('takes comments, blank lines, tabs, trailing blanks, CRLF, capitals, a byte-order mark and no last line end', () => {
    const m = read(
      '\uFEFF%%MATRIXMARKET MATRIX Coordinate REAL General  \r\n% one\r\n%\r\n \r\n%% two\r\n\t2 2  2 \r\n\r\n' +
        '1 1\t1 \r\n% in between\r\n  \r\n 2 2 2\t',
    );
    expect(dense(m)).toEqual([
      [1, 0],
      [0, 2],
    ]);
    expect(m.comments).toEqual([' one', '', '% two']);
    expect(readDense('%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 7')).toEqual([[7]]);
  });

  it('sums duplicates in file order and keeps explicit zeros', () => {
    expect(readDense(coordinate('real general', '1 1 3', '1 1 1e16', '1 1 1', '1 1 -1e16'))).toEqual([[0]]);
    const m = read(coordinate('real general', '1 2 1', '1 2 0'));
    expect([...m.pattern.colIdx]).toEqual([1]);
  });

  it('gives pattern-only entries the value 1', () => {
    expect(readDense(coordinate('pattern symmetric', '2 2 2', '1 1', '2 1'))).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it('mirrors symmetric and skew-symmetric files, from either triangle', () => {
    const lower = ['2 2 2', '1 1 5', '2 1 3'];
    expect(readDense(coordinate('real symmetric', ...lower))).toEqual([
      [5, 3],
      [3, 0],
    ]);
    expect(readDense(coordinate('integer symmetric', '2 2 1', '1 2 3'))).toEqual([
      [0, 3],
      [3, 0],
    ]);
    const skew = read(coordinate('real skew-symmetric', '2 2 1', '2 1 3'));
    expect(dense(skew)).toEqual([
      [0, -3],
      [3, 0],
    ]);
    expect(skew.stored).toBe(1);
  });

  it('takes arrays column by column', () => {
    expect(readDense(array('real general', '2 3', '1', '2', '3', '4', '5', '6'))).toEqual([
      [1, 3, 5],
      [2, 4, 6],
    ]);
    expect(readDense(array('integer symmetric', '2 2', '1', '2', '3'))).toEqual([
      [1, 2],
      [2, 3],
    ]);
    expect(readDense(array('real skew-symmetric', '3 3', '1', '2', '3'))).toEqual([
      [0, -1, -2],
      [1, 0, -3],
      [2, 3, 0],
    ]);
    expect(read(array('real general', '1 2', '0', '0')).pattern.colIdx.length).toBe(2);
  });

  it('takes complex files once told which real number to keep', () => {
    const text = coordinate('complex hermitian', '2 2 2', '1 1 2 0', '2 1 3 4');
    expect(readDense(text, { complex: 'real' })).toEqual([
      [2, 3],
      [3, 0],
    ]);
    expect(readDense(text, { complex: 'imag' })).toEqual([
      [0, -4],
      [4, 0],
    ]);
    expect(readDense(text, { complex: 'abs' })).toEqual([
      [2, 5],
      [5, 0],
    ]);
    const symmetric = coordinate('complex symmetric', '2 2 1', '2 1 3 4');
    expect(readDense(symmetric, { complex: 'imag' })).toEqual([
      [0, 4],
      [4, 0],
    ]);
    const skew = coordinate('complex skew-symmetric', '2 2 1', '2 1 3 4');
    expect(readDense(skew, { complex: 'real' })[0]![1]).toBe(-3);
    expect(readDense(skew, { complex: 'imag' })[0]![1]).toBe(-4);
    expect(readDense(array('complex general', '1 1', '3 4'), { complex: 'abs' })).toEqual([[5]]);
    // The parts of duplicates are summed before the absolute value is taken.
    expect(readDense(coordinate('complex general', '1 1 2', '1 1 3 4', '1 1 -3 0'), { complex: 'abs' })).toEqual([[4]]);
  });

  it('passes over values where only the pattern is wanted', () => {
    const ones = (text: string) => readDense(text, { patternOnly: true });
    const real = coordinate('real general', '2 2 3', '1 1 NaN', '2 2 -Infinity ', '2 1 1e400');
    expect(ones(real)).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect(left(readMatrixMarket(real)).code).toBe('mtx/entry');
    /* With no rule on what a diagonal holds, and no signs. */
    for (const kind of ['complex hermitian', 'complex skew-symmetric', 'complex symmetric'])
      expect(ones(coordinate(kind, '2 2 2', '1 1 nan 1', '2 1 3 inf'))).toEqual([
        [1, 1],
        [1, 0],
      ]);
    expect(ones(array('real general', '1 2', 'nan', '0'))).toEqual([[1, 1]]);
    expect(ones(coordinate('pattern general', '1 1 1', '1 1'))).toEqual([[1]]);
    for (const line of ['1 1', '1 1x', '1 1 five', '1 1 2 3', '1 1 2 3 4'])
      expect(left(readMatrixMarket(coordinate('real general', '1 1 1', line), { patternOnly: true })).code).toBe(
        'mtx/entry',
      );
  });

  it('takes empty matrices', () => {
    expect(read(coordinate('real general', '0 0 0')).pattern.rows).toBe(0);
    expect(read(coordinate('real general', '3 2 0')).pattern.rowPtr).toEqual(Int32Array.of(0, 0, 0, 0));
  });

  it('reads every number as Number does', () => {
    const digits = (max: number) =>
      fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: max }).map((d) => d.join(''));
    const numeral = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => x.toExponential(16)),
      fc.double({ min: -1, max: 1, noNaN: true }).map((x) => x.toFixed(18)),
      fc
        .tuple(
          fc.constantFrom('', '-', '+'),
          digits(24),
          fc.constantFrom('', '.'),
          digits(24),
          fc.integer({ min: -60, max: 60 }),
        )
        .map(([s, a, point, b, e]) => `${s}${a}${point}${point && b}e${e}`),
      // Half-way between two doubles, and just beside it: 2^53 + odd, times a power of two, with a tail of digits.
      fc
        .tuple(
          fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
          fc.nat({ max: 8 }),
          fc.constantFrom('', '.', '.000001', '.0'),
        )
        .map(([m, shift, tail]) => `${((m * 2n + 1n) << BigInt(shift)).toString()}${tail}`),
      fc
        .tuple(
          fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
          fc.integer({ min: 1, max: 8 }),
          fc.constantFrom('', '1'),
        )
        .map(([m, shift, tail]) => {
          const scaled = ((m * 2n + 1n) * 10n ** BigInt(shift)) >> BigInt(shift);
          const text = scaled.toString().padStart(shift + 1, '0');
          return `${text.slice(0, -shift)}.${text.slice(-shift)}${tail}`;
        }),
    );
    fc.assert(
      fc.property(fc.array(numeral, { minLength: 1, maxLength: 200 }), (numerals) => {
        const finite = numerals.filter((n) => Number.isFinite(Number(n)));
        const m = read(array('real general', `${finite.length} 1`, ...finite));
        expect([...m.values]).toEqual(finite.map(Number));
      }),
      { numRuns: 300 },
    );
  });

  it('reads the exponents of Fortran', () => {
    expect(readDense(coordinate('real general', '1 1 1', '1 1 1.5D-2'))).toEqual([[0.015]]);
  });
});

describe('a malformed file gives a diagnostic', () => {
  const cases: readonly (readonly [code: string, line: number, text: string, about: string])[] = [
    ['mtx/header', 1, '', 'empty'],
    ['mtx/header', 1, '2 2 1\n1 1 1\n', 'no Matrix Market header'],
    ['mtx/header', 1, '%%MatrixMarket matrix coordinate real\n1 1 0\n', '4 words'],
    ['mtx/header', 1, '%%MatrixMarket vector coordinate real general\n', 'not a matrix'],
    ['mtx/header', 1, '%%MatrixMarket matrix list real general\n', "format 'list'"],
    ['mtx/header', 1, '%%MatrixMarket matrix coordinate quaternion general\n', "field 'quaternion'"],
    ['mtx/header', 1, '%%MatrixMarket matrix coordinate real constructor\n', "symmetry 'constructor'"],
    ['mtx/header', 1, '%%MatrixMarket matrix array pattern general\n', 'pattern-only'],
    ['mtx/header', 1, '%%MatrixMarket matrix coordinate pattern skew-symmetric\n', 'skew-symmetric'],
    ['mtx/header', 1, '%%MatrixMarket matrix coordinate real hermitian\n', 'hermitian'],
    ['mtx/size-line', 2, coordinate('real general', '2 2'), '2 numbers, not 3'],
    ['mtx/size-line', 3, coordinate('real general', '%', '2 two 1'), "'two'"],
    ['mtx/size-line', 2, coordinate('real general', '-2 2 1'), "'-2'"],
    ['mtx/size-line', 2, coordinate('real general', '2147483647 2 1'), '2147483646'],
    ['mtx/size-line', 2, coordinate('real symmetric', '2 3 1'), '2 × 3'],
    ['mtx/size-line', 2, array('real general', '2000000000 2000000000'), '2³¹'],
    ['mtx/size-line', 3, coordinate('real general', '%').trimEnd() + '\n', 'ends before'],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 one'), "'one'"],
    ['mtx/entry', 4, coordinate('real general', '2 2 2', '1 1 1', '1 1'), '2 numbers, not 3'],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 1 1'), '4 numbers, not 3'],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1.0 1'), 'column number'],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 1e'), "'1e'"],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 1.5-3'), "'1.5-3'"],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 .'), "'.'"],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 NaN'), "'NaN'"],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1 1e999'), 'largest double'],
    ['mtx/entry', 3, coordinate('real general', '2 2 1', '1 1,5'), "'1,5'"],
    ['mtx/entry', 3, coordinate('integer general', '2 2 1', '1 1 1.5'), 'no integer'],
    ['mtx/entry', 3, coordinate('integer general', '2 2 1', '1 1 9007199254740993'), 'no integer'],
    ['mtx/entry', 3, coordinate('pattern general', '2 2 1', '1 1 1'), '3 numbers, not 2'],
    ['mtx/entry', 3, array('real general', '1 1', '1 2'), '2 numbers, not 1'],
    ['mtx/entry', 3, array('real general', '1 1', 'x'), "'x'"],
    ['mtx/range', 3, coordinate('real general', '2 2 1', '3 1 1'), 'row 3'],
    ['mtx/range', 3, coordinate('real general', '2 2 1', '1 0 1'), 'column 0'],
    ['mtx/range', 3, coordinate('real general', '2 2 1', '-1 1 1'), 'row -1'],
    ['mtx/range', 3, coordinate('real general', '2 2 1', '99999999999999999999999 1 1'), 'row 9999'],
    ['mtx/truncated', 4, coordinate('real general', '2 2 2', '1 1 1'), '1 of 2'],
    ['mtx/truncated', 3, coordinate('real general', '9 9 2000000000'), '0 of 2000000000'],
    ['mtx/too-large', 1, coordinate('real general', '2000000000 9 1', '1 1 1'), '2000000000 × 9'],
    ['mtx/truncated', 4, array('real general', '2 1', '1'), '1 of 2'],
    ['mtx/truncated', 3, array('real general', '40000 40000', '1'), '1 of 1600000000'],
    ['mtx/too-many', 4, coordinate('real general', '2 2 1', '1 1 1', '2 2 1'), '1 entries'],
    ['mtx/too-many', 4, array('real general', '1 1', '1', '2'), '1 values'],
    ['mtx/complex', 1, coordinate('complex general', '1 1 1', '1 1 1 1'), 'complex'],
    ['mtx/diagonal', 1, coordinate('real skew-symmetric', '1 1 1', '1 1 1'), '(1, 1)'],
    ['mtx/both-triangles', 1, coordinate('real symmetric', '2 2 2', '1 2 1', '2 1 1'), '(2, 1) and (1, 2)'],
  ];

  it.each(cases)('%s in line %i of %j', (code, line, text, about) => {
    const d = left(readMatrixMarket(text, { name: 'a.mtx' }));
    expect(d.code).toBe(code);
    expect(d.loc).toMatchObject({ file: 'a.mtx', line });
    expect(d.message).toContain(about);
    expect(d.remedy).toBeTruthy();
  });

  it('mtx/entry and mtx/diagonal in a complex file', () => {
    const options = { complex: 'real' } as const;
    expect(left(readMatrixMarket(coordinate('complex general', '1 1 1', '1 1 1'), options)).code).toBe('mtx/entry');
    expect(left(readMatrixMarket(coordinate('complex hermitian', '1 1 1', '1 1 1 1'), options)).code).toBe(
      'mtx/diagonal',
    );
  });

  it('names the column of the offending word', () => {
    expect(left(readMatrixMarket(coordinate('real general', '2 2 1', ' 1  1  x1'))).loc?.column).toBe(8);
  });

  it('never throws, and never takes half a file for a whole one', () => {
    const whole = coordinate('real symmetric', '3 3 4', '1 1 1.25', '2 1 -2', '3 2 3.5', '3 3 4');
    for (let n = 0; n < whole.length - 2; n++) {
      expect(readMatrixMarket(whole.slice(0, n))._tag).toBe('Left');
    }
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), fc.uint8Array({ minLength: 1, maxLength: 3 }), (at, noise) => {
        const bytes = new TextEncoder().encode(whole);
        bytes.set(noise.subarray(0, whole.length - at), at);
        expect(['Left', 'Right']).toContain(readMatrixMarket(bytes)._tag);
      }),
    );
  });
});

describe('writing', () => {
  it('writes the text one expects', () => {
    const m = sparse(2, 2, [
      [0, 0, 1.5],
      [0, 1, -2],
      [1, 0, -2],
    ]);
    expect(writeText(m, { comments: [' made by hand'] })).toBe(
      '%%MatrixMarket matrix coordinate real general\n% made by hand\n2 2 3\n1 1 1.5\n1 2 -2\n2 1 -2\n',
    );
    expect(writeText(m, { symmetry: 'symmetric' })).toBe(
      '%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 1.5\n2 1 -2\n',
    );
    expect(writeText(m, { field: 'pattern' })).toBe(
      '%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 1\n1 2\n2 1\n',
    );
    expect(writeText(m, { format: 'array' })).toBe('%%MatrixMarket matrix array real general\n2 2\n1.5\n-2\n-2\n0\n');
  });

  it('reads back what it wrote, to the bit', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const numbers = side.chain((r) =>
      side.chain((c) =>
        matrixOf(r, c).chain((m) =>
          fc
            .array(value, { minLength: m.values.length, maxLength: m.values.length })
            .map((v) => ({ pattern: m.pattern, values: Float64Array.from(v) })),
        ),
      ),
    );
    fc.assert(
      fc.property(numbers, (m) => {
        const back = right(readMatrixMarket(right(writeMatrixMarket(m))));
        expect(back.pattern).toEqual(m.pattern);
        expect(back.values).toEqual(m.values);
        const array = right(readMatrixMarket(right(writeMatrixMarket(m, { format: 'array' }))));
        expect(dense(array)).toEqual(dense(m));
        const imag = m.values.map((x) => -x);
        const bytes = right(writeMatrixMarket(m, { imag }));
        expect(right(readMatrixMarket(bytes, { complex: 'real' })).values).toEqual(m.values);
        expect(right(readMatrixMarket(bytes, { complex: 'imag' })).values).toEqual(imag);
      }),
    );
  });

  it('reads back each symmetry', () => {
    const skew = sparse(3, 3, [
      [0, 0, 0],
      [1, 0, 2],
      [0, 1, -2],
      [2, 1, 5],
      [1, 2, -5],
    ]);
    const lap = gridLaplacian(5);
    for (const format of ['coordinate', 'array'] as const) {
      expect(dense(read(writeText(lap, { format, symmetry: 'symmetric' })))).toEqual(dense(lap));
      // `+ 0` because −0 and 0 are one number here.
      const back = dense(read(writeText(skew, { format, symmetry: 'skew-symmetric' })));
      expect(back.map((row) => row.map((x) => x + 0))).toEqual(dense(skew));
    }
    expect(read(writeText(skew, { symmetry: 'skew-symmetric' })).pattern).toEqual(skew.pattern);
    expect(read(writeText(lap, { symmetry: 'symmetric', field: 'pattern' })).pattern).toEqual(lap.pattern);
    const re = sparse(2, 2, [
      [0, 0, 1],
      [0, 1, 3],
      [1, 0, 3],
    ]);
    const text = writeText(re, { symmetry: 'hermitian', imag: Float64Array.of(0, -4, 4) });
    expect(read(text, { complex: 'abs' }).values).toEqual(Float64Array.of(1, 5, 5));
    expect(read(text, { complex: 'imag' }).values).toEqual(Float64Array.of(0, -4, 4));
  });

  it.each([
    ['mtx/not-symmetric', sparse(2, 2, [[0, 1, 1]]), { symmetry: 'symmetric' }],
    [
      'mtx/not-symmetric',
      sparse(2, 2, [
        [0, 1, 1],
        [1, 0, 2],
      ]),
      { symmetry: 'symmetric' },
    ],
    [
      'mtx/not-symmetric',
      sparse(2, 2, [
        [0, 1, 1],
        [1, 0, 1],
      ]),
      { symmetry: 'skew-symmetric' },
    ],
    ['mtx/not-symmetric', sparse(2, 3, []), { symmetry: 'symmetric' }],
    ['mtx/value', sparse(1, 1, [[0, 0, NaN]]), {}],
    ['mtx/value', sparse(1, 1, [[0, 0, Infinity]]), {}],
    ['mtx/value', sparse(1, 1, [[0, 0, 0.5]]), { field: 'integer' }],
    ['mtx/value', sparse(1, 1, [[0, 0, 1]]), { imag: new Float64Array(2) }],
    ['mtx/header', sparse(1, 1, [[0, 0, 1]]), { field: 'complex' }],
    ['mtx/header', sparse(1, 1, [[0, 0, 1]]), { symmetry: 'hermitian' }],
    ['mtx/header', sparse(1, 1, [[0, 0, 1]]), { field: 'pattern', format: 'array' }],
    ['mtx/header', sparse(1, 1, [[0, 0, 1]]), { field: 'pattern', symmetry: 'skew-symmetric' }],
  ] as const)('refuses with %s', (code, m, options) => {
    const d = left(writeMatrixMarket(m, options));
    expect(d.code).toBe(code);
    expect(d.remedy).toBeTruthy();
  });
});
