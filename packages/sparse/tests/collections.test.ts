import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  checkCsr,
  patternStats,
  readHarwellBoeing,
  readMatrixMarket,
  samePattern,
  writeHarwellBoeing,
  writeMatrixMarket,
  type Csr,
  type FileField,
  type Symmetry,
} from '@filigree/sparse/formats';
import { describe, expect, it } from 'vitest';
import { matrixTexts, readPlainly, type Entries } from './matrix-texts.js';
import { DATA, dataFile, right } from './support.js';

/** What is known about a file from elsewhere. */
interface Known {
  readonly name: string;
  readonly text: () => string;
  readonly rows: number;
  readonly cols: number;
  readonly stored: number;
  readonly nnz: number;
  readonly symmetry: Symmetry;
  readonly field: FileField;
}

const manifest = dataFile('matrices/MANIFEST.tsv');

/** The Harwell-Boeing set as its manifest describes it, where it is. */
const collection: readonly Known[] = manifest
  ? new TextDecoder()
      .decode(manifest)
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .map(([name, rows, cols, stored, nnz, , symmetry, field]) => ({
        name: name!,
        text: () => readFileSync(join(DATA, 'matrices', `${name}.mtx`), 'utf8'),
        rows: Number(rows),
        cols: Number(cols),
        stored: Number(stored),
        nnz: Number(nnz),
        symmetry: symmetry as Symmetry,
        field: field as FileField,
      }))
  : [];

const made = matrixTexts();

/** All that the tests read: texts made here in every field and symmetry, and the collection. */
const known: readonly Known[] = [
  ...made.map((t) => ({ ...t, text: () => t.text, nnz: t.entries.size })),
  ...collection,
];

/** Compares all places and values; one comparison a matrix, since matrices have up to a million entries. */
const expectEntries = (m: Csr<Float64Array>, expected: Entries): void => {
  const { rows, cols, rowPtr, colIdx } = m.pattern;
  expect(colIdx.length).toBe(expected.size);
  const wrong: string[] = [];
  for (let i = 0; i < rows; i++)
    for (let e = rowPtr[i]!; e < rowPtr[i + 1]!; e++) {
      const value = expected.get(i * cols + colIdx[e]!);
      if (m.values[e] !== value) wrong.push(`(${i}, ${colIdx[e]}): ${m.values[e]}, not ${value}`);
    }
  expect(wrong.slice(0, 5)).toEqual([]);
};

describe('matrix files', () => {
  it.each(made)('the plain reader of these tests reads what was written: $name', ({ text, entries }) => {
    expect(readPlainly(text)).toEqual(entries);
  });

  it.each(known)(
    '$name reads with the sizes known of it, and every value',
    ({ name, text, rows, cols, stored, nnz, symmetry, field }) => {
      const m = right(readMatrixMarket(text(), { name, complex: 'abs' }));
      expect(m).toMatchObject({ stored, symmetry, field });
      expect(checkCsr(m.pattern)).toEqual([]);
      expect(patternStats(m.pattern)).toMatchObject({ rows, cols, nnz });
      expectEntries(m, readPlainly(text()));
    },
  );

  it('are the same when written and read again, by either format', () => {
    const some = known.filter(({ field }, n) => field !== 'complex' && (n < made.length || n % 9 === 0));
    expect(some.length).toBeGreaterThan(20);
    for (const k of some) {
      const m = right(readMatrixMarket(k.text(), { name: k.name }));
      const hb = right(readHarwellBoeing(right(writeHarwellBoeing(m))));
      const mtx = right(readMatrixMarket(right(writeMatrixMarket(m))));
      for (const back of [hb, mtx]) {
        expect(samePattern(back.pattern, m.pattern)).toBe(true);
        expect(back.values.findIndex((x, e) => !Object.is(x, m.values[e]))).toBe(-1);
      }
    }
  });

  const others = manifest ? readdirSync(join(DATA, 'matrices-other')) : [];
  it.skipIf(others.length === 0)('of other collections read with every value', () => {
    for (const name of others) {
      const text = readFileSync(join(DATA, 'matrices-other', name), 'utf8');
      const m = right(readMatrixMarket(text, { name, complex: 'abs' }));
      expect(checkCsr(m.pattern)).toEqual([]);
      expectEntries(m, readPlainly(text));
    }
  });
});
