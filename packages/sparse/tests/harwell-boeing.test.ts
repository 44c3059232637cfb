import {
  readHarwellBoeing,
  writeHarwellBoeing,
  type HarwellBoeingOptions,
  type ReadOptions,
} from '@filigree/sparse/formats';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dense, gridLaplacian, left, matrixOf, right, side, sparse } from './support.js';

const pad = (width: number, ...items: (string | number)[]) => items.map((s) => String(s).padStart(width)).join('');

interface Parts {
  readonly type?: string;
  readonly shape?: readonly [number, number, number];
  readonly counts?: readonly number[];
  readonly formats?: string;
  readonly rhs?: string;
  readonly data?: readonly string[];
}

/**
 * By default the matrix
 *
 *     1  0  2
 *     0  3  0
 *     0  4  5
 *
 * in columns, with fields that touch each other.
 */
const file = (parts: Parts = {}) =>
  [
    'A small matrix'.padEnd(72) + 'KEY00001',
    pad(14, ...(parts.counts ?? [5, 1, 2, 2, 0])),
    (parts.type ?? 'RUA').padEnd(14) + pad(14, ...(parts.shape ?? [3, 3, 5]), 0),
    parts.formats ?? '(4I2)'.padEnd(16) + '(3I1)'.padEnd(16) + '(3E9.1)'.padEnd(20),
    ...(parts.rhs === undefined ? [] : [parts.rhs]),
    ...(parts.data ?? [' 1 2 4 6', '123', '13', '  1.0E+00  3.0D+00   4.0e0', '      2.0  50.0-01']),
    '',
  ].join('\n');

const expected = [
  [1, 0, 2],
  [0, 3, 0],
  [0, 4, 5],
];

/** The diagonal 2 × 2 matrix whose two values stand on one line, in the given format. */
const two = (format: string, line: string) =>
  file({
    counts: [3, 1, 1, 1, 0],
    shape: [2, 2, 2],
    formats: '(3I2)'.padEnd(16) + '(2I1)'.padEnd(16) + format,
    data: [' 1 2 3', '12', line],
  });

const readDense = (text: string, options?: ReadOptions) => dense(right(readHarwellBoeing(text, options)));

describe('reading', () => {
  it('takes fixed fields, all spellings of exponents, and CRLF', () => {
    expect(readDense(file())).toEqual(expected);
    expect(readDense(file().replaceAll('\n', '\r\n'))).toEqual(expected);
    expect(right(readHarwellBoeing(file()))).toMatchObject({
      field: 'real',
      symmetry: 'general',
      stored: 5,
      comments: ['A small matrix'],
    });
  });

  it('takes a header without right-hand sides, as Rutherford-Boeing has it, and lower-case types', () => {
    expect(readDense(file({ counts: [5, 1, 2, 2], type: 'rua' }))).toEqual(expected);
  });

  it('passes over right-hand sides', () => {
    const text = file({ counts: [6, 1, 2, 2, 1], rhs: 'F'.padEnd(14) + pad(14, 1, 0) });
    expect(readDense(`${text}  1.0  2.0  3.0\n`)).toEqual(expected);
  });

  it('takes pattern-only, symmetric, skew-symmetric, rectangular and integer matrices', () => {
    const data = [' 1 3 3', '12'];
    const small = { counts: [2, 1, 1, 0, 0], shape: [2, 2, 2], data } as const;
    const pattern = { ...small, formats: '(3I2)'.padEnd(16) + '(2I1)'.padEnd(16) };
    expect(readDense(file({ ...pattern, type: 'PSA' }))).toEqual([
      [1, 1],
      [1, 0],
    ]);
    expect(readDense(file({ ...pattern, type: 'PUA' }))).toEqual([
      [1, 0],
      [1, 0],
    ]);
    const valued = {
      counts: [3, 1, 1, 1, 0],
      shape: [2, 2, 2],
      formats: '(3I2)'.padEnd(16) + '(2I1)'.padEnd(16) + '(2F4.1)',
    } as const;
    expect(readDense(file({ ...valued, type: 'RSA', data: [...data, ' 1.5-2.5'] }))).toEqual([
      [1.5, -2.5],
      [-2.5, 0],
    ]);
    expect(readDense(file({ ...valued, type: 'RZA', data: [...data, ' 0.0 2.5'] }))).toEqual([
      [0, -2.5],
      [2.5, 0],
    ]);
    const wide = { ...valued, shape: [2, 3, 2], formats: '(4I2)'.padEnd(16) + '(2I1)'.padEnd(16) + '(2I4)' } as const;
    expect(readDense(file({ ...wide, type: 'IRA', data: [' 1 1 2 3', '21', '  -7   8'] }))).toEqual([
      [0, 0, 8],
      [0, -7, 0],
    ]);
  });

  it('takes complex values once told which real number to keep', () => {
    const text = file({
      type: 'CHA',
      counts: [3, 1, 1, 1, 0],
      shape: [2, 2, 2],
      formats: '(3I2)'.padEnd(16) + '(2I1)'.padEnd(16) + '(4F4.1)',
      data: [' 1 3 3', '12', ' 1.0 0.0 3.0 4.0'],
    });
    expect(readDense(text, { complex: 'abs' })).toEqual([
      [1, 5],
      [5, 0],
    ]);
    expect(readDense(text, { complex: 'imag' })).toEqual([
      [0, -4],
      [4, 0],
    ]);
    expect(left(readHarwellBoeing(text)).code).toBe('hb/complex');
    expect(readDense(text, { patternOnly: true })).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it('passes over values where only the pattern is wanted', () => {
    const text = two('(2F8.2)', '     nan     ***');
    expect(left(readHarwellBoeing(text)).code).toBe('hb/entry');
    expect(readDense(text, { patternOnly: true })).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(left(readHarwellBoeing(two('(2F8.2)', '     nan'), { patternOnly: true })).code).toBe('hb/entry');
    expect(left(readHarwellBoeing(text.split('\n').slice(0, 6).join('\n'), { patternOnly: true })).code).toBe(
      'hb/truncated',
    );
  });

  // What Fortran reads from these fields, by its rules for input under a format.
  it.each([
    ['(1P,2E8.1)', ' 1.5E+00   2.5  ', [1.5, 0.25]],
    ['(1P2E8.1)', ' 1.5E+00 2.5e-01', [1.5, 0.25]],
    ['(2(1PE8.1))', ' 1.5E+00 2.5E-01', [1.5, 0.25]],
    ['(1P,2(E8.1))', ' 1.5E+00 2.5E-01', [1.5, 0.25]],
    ['(2ES8.1)', ' 1.5E+00 2.5E-01', [1.5, 0.25]],
    ['(2(en9.1e2))', '  1.5E+00250.E-03  ', [1.5, 0.25]],
    ['(2E8.1E3)', '1.5E+000  2.5-01', [1.5, 0.25]],
    ['(2F8.2)', '     150      25', [1.5, 0.25]],
    ['(2D8.2)', '   15D+1 2.5D-01', [1.5, 0.25]],
    ['(2G8.0)', '     1.5    .250', [1.5, 0.25]],
    ['( 2 e 8.1 )', ' 1.5E 00  2.5E-1', [1.5, 0.25]],
    ['(-1P,2F8.1)', '   0.15   0.025 ', [1.5, 0.25]],
  ])('reads %s', (format, line, values) => {
    expect([...right(readHarwellBoeing(two(format, line))).values]).toEqual(values);
  });
});

describe('fields narrower than declared', () => {
  it('are taken word by word, never cut in two', () => {
    expect([...right(readHarwellBoeing(two('(2E9.1)', ' 1.5E+00 -2.5E-1'))).values]).toEqual([1.5, -0.25]);
    expect([...right(readHarwellBoeing(two('(2E10.1)', ' 1.5E-12 2.5E-11'))).values]).toEqual([1.5e-12, 2.5e-11]);
    // By its format this line reads 1.5E-12 in its first field, with a digit of the next number behind a blank.
    expect(left(readHarwellBoeing(two('(2E10.1)', ' 1.5E-12 2.5E-11 3.5'))).code).toBe('hb/entry');
    expect(left(readHarwellBoeing(two('(2E9.1)', ' 1.5E+00-2.5E-01'))).code).toBe('hb/entry');
  });
});

describe('a malformed file gives a diagnostic', () => {
  const cases: readonly (readonly [code: string, line: number, text: string, about: string])[] = [
    ['hb/header', 1, '', 'title'],
    ['hb/header', 1, 'only a title\n', 'line counts'],
    ['hb/header', 2, file({ counts: [5, 1] }), 'line counts'],
    ['hb/header', 3, file({ shape: [3, -3, 5] }), 'rows, columns and entries'],
    ['hb/header', 3, file({ counts: [3, 1, 2, 0, 0] }), 'no lines of values'],
    ['hb/type', 3, file({ type: 'XUA' }), "'XUA'"],
    ['hb/type', 3, file({ type: 'RHA' }), 'hermitian'],
    ['hb/type', 3, file({ type: 'RSA', shape: [2, 3, 5] }), '2 × 3'],
    ['hb/elemental', 3, file({ type: 'RSE' }), 'elements'],
    ['hb/format', 4, file({ formats: '(4I2)'.padEnd(16) + '(3I1)' }), 'missing'],
    ['hb/format', 4, file({ formats: '(4I2)'.padEnd(16) + '(3E1)'.padEnd(16) + '(3E9.1)' }), "'(3E1)'"],
    ['hb/format', 4, file({ formats: '(4I2)'.padEnd(16) + '(3I1)'.padEnd(16) + '(3X,E9.1)' }), "'(3X,E9.1)'"],
    ['hb/format', 4, file({ formats: '(4I2)'.padEnd(16) + '(3I1' }), "'(3I1'"],
    ['hb/pointer', 5, file({ data: [' 0 2 4 6', '123', '13', '1', '1'] }), 'not 1'],
    ['hb/pointer', 5, file({ data: [' 1 4 2 6', '123', '13', '1', '1'] }), 'below 4'],
    ['hb/pointer', 5, file({ data: [' 1 2 4 5', '123', '13', '1', '1'] }), 'there are 5 entries'],
    ['hb/pointer', 5, file({ data: [' 1 2 9 6', '123', '13', '1', '1'] }), 'beyond'],
    ['hb/range', 7, file({ data: [' 1 2 4 6', '123', '14'] }), 'row 4'],
    ['hb/range', 6, file({ data: [' 1 2 4 6', '103', '13'] }), 'row 0'],
    ['hb/entry', 5, file({ data: [' 1 2 x 6'] }), "'x'"],
    ['hb/entry', 5, file({ data: [' 1 2 4', '123'] }), 'blank'],
    ['hb/entry', 8, file({ data: [' 1 2 4 6', '123', '13', '      1.0      two      3.0', ''] }), "'two'"],
    ['hb/entry', 8, file({ data: [' 1 2 4 6', '123', '13', '  1.0E999      2.0      3.0', ''] }), '1.0E999'],
    ['hb/truncated', 8, file().split('\n').slice(0, 8).join('\n'), 'values: 3 of 5'],
    ['hb/truncated', 5, file({ data: [' 1 2 4 6', '123'] }).trimEnd(), '5 row indices'],
    ['hb/truncated', 4, file({ shape: [3, 2000000000, 5] }), 'column pointers'],
    ['hb/diagonal', 1, file({ type: 'RZA' }), '(1, 1)'],
    [
      'hb/both-triangles',
      1,
      file({
        type: 'RSA',
        data: [' 1 3 4 6', '121', '23', '1', '1'].with(3, '      1.0      2.0      3.0').with(4, '      4.0      5.0'),
      }),
      '(2, 1) and (1, 2)',
    ],
  ];

  it.each(cases)('%s in line %i', (code, line, text, about) => {
    const d = left(readHarwellBoeing(text, { name: 'a.rua' }));
    expect(d).toMatchObject({ code, loc: { file: 'a.rua', line } });
    expect(d.message).toContain(about);
    expect(d.remedy).toBeTruthy();
  });

  it('never throws on noise', () => {
    const whole = file();
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 3 }), fc.uint8Array({ minLength: 1, maxLength: 3 }), (at, noise) => {
        const bytes = new TextEncoder().encode(whole);
        bytes.set(noise, at);
        expect(['Left', 'Right']).toContain(readHarwellBoeing(bytes)._tag);
      }),
    );
  });
});

describe('writing', () => {
  const text = (m: Parameters<typeof writeHarwellBoeing>[0], options?: HarwellBoeingOptions) =>
    new TextDecoder().decode(right(writeHarwellBoeing(m, options)));
  const small = sparse(2, 2, [
    [0, 0, 1.5],
    [0, 1, -2],
    [1, 0, -2],
  ]);

  it('writes the text one expects', () => {
    expect(text(small, { symmetry: 'symmetric', title: 'Two', key: 'T' }).split('\n')).toEqual([
      'Two'.padEnd(72) + 'T       ',
      pad(14, 3, 1, 1, 1, 0),
      'RSA'.padEnd(14) + pad(14, 2, 2, 2, 0),
      '(40I2)'.padEnd(16) + '(40I2)'.padEnd(16) + '(3E25.16)'.padEnd(20),
      ' 1 3 3',
      ' 1 2',
      '   1.5000000000000000E+00  -2.0000000000000000E+00',
      '',
    ]);
    const rb = text(small, { form: 'rutherford-boeing', field: 'pattern' }).split('\n');
    expect(rb[1]).toBe(pad(14, 2, 1, 1, 0));
    expect(rb[2]).toBe('pua'.padEnd(14) + pad(14, 2, 2, 3, 0));
  });

  it('reads back what it wrote, to the bit', () => {
    const value = fc.double({ noNaN: true, noDefaultInfinity: true });
    const numbers = fc
      .tuple(side, side)
      .chain(([r, c]) =>
        matrixOf(r, c).chain((m) =>
          fc
            .array(value, { minLength: m.values.length, maxLength: m.values.length })
            .map((v) => ({ pattern: m.pattern, values: Float64Array.from(v) })),
        ),
      );
    fc.assert(
      fc.property(numbers, fc.constantFrom('harwell-boeing' as const, 'rutherford-boeing' as const), (m, form) => {
        const back = right(readHarwellBoeing(right(writeHarwellBoeing(m, { form }))));
        expect(back.pattern).toEqual(m.pattern);
        expect(back.values).toEqual(m.values);
        const imag = m.values.map((x) => -x);
        const bytes = right(writeHarwellBoeing(m, { form, imag }));
        expect(right(readHarwellBoeing(bytes, { complex: 'real' })).values).toEqual(m.values);
        expect(right(readHarwellBoeing(bytes, { complex: 'imag' })).values).toEqual(imag);
        const pattern = right(readHarwellBoeing(right(writeHarwellBoeing(m, { form, field: 'pattern' }))));
        expect(pattern.pattern).toEqual(m.pattern);
      }),
    );
  });

  it('reads back each symmetry, and integers', () => {
    const lap = gridLaplacian(7);
    expect(dense(right(readHarwellBoeing(text(lap, { symmetry: 'symmetric' }))))).toEqual(dense(lap));
    const skew = sparse(2, 2, [
      [1, 0, 2],
      [0, 1, -2],
    ]);
    expect(dense(right(readHarwellBoeing(text(skew, { symmetry: 'skew-symmetric' }))))).toEqual(dense(skew));
    const integers = sparse(2, 3, [
      [0, 2, -123456],
      [1, 0, 7],
    ]);
    const options = { form: 'rutherford-boeing', field: 'integer' } as const;
    expect(dense(right(readHarwellBoeing(text(integers, options))))).toEqual(dense(integers));
  });

  it.each([
    ['hb/not-symmetric', small, { symmetry: 'skew-symmetric' }],
    ['hb/value', sparse(1, 1, [[0, 0, NaN]]), {}],
    ['hb/value', small, { field: 'integer', form: 'rutherford-boeing' }],
    ['hb/header', small, { field: 'integer' }],
    ['hb/header', small, { title: 'x'.repeat(73) }],
    ['hb/header', small, { key: 'ключ' }],
    ['hb/header', small, { field: 'complex' }],
    ['hb/header', small, { symmetry: 'hermitian' }],
  ] as const)('refuses with %s', (code, m, options) => {
    const d = left(writeHarwellBoeing(m, options));
    expect(d.code).toBe(code);
    expect(d.remedy).toBeTruthy();
  });
});
