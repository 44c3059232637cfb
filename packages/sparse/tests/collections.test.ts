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
  type FileField,
  type Symmetry,
} from '@filigree/sparse';
import { describe, expect, it } from 'vitest';
import { DATA, dataFile, gridLaplacian, right } from './support.js';

/** What is known about a file from elsewhere. */
interface Known {
  readonly name: string;
  readonly bytes: () => Uint8Array;
  readonly rows: number;
  readonly cols: number;
  readonly stored: number;
  readonly nnz: number;
  readonly symmetry: Symmetry;
  readonly field: FileField;
}

const manifest = dataFile('matrices/MANIFEST.tsv');

/** The Harwell-Boeing set as its manifest describes it; without it, grids, whose counts follow from their size. */
const known: readonly Known[] = manifest
  ? new TextDecoder()
      .decode(manifest)
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .map(([name, rows, cols, stored, nnz, , symmetry, field]) => ({
        name: name!,
        bytes: () => readFileSync(join(DATA, 'matrices', `${name}.mtx`)),
        rows: Number(rows),
        cols: Number(cols),
        stored: Number(stored),
        nnz: Number(nnz),
        symmetry: symmetry as Symmetry,
        field: field as FileField,
      }))
  : [3, 8, 40].flatMap((n) =>
      (['general', 'symmetric'] as const).flatMap((symmetry) =>
        (['real', 'pattern'] as const).map((field) => {
          const edges = 2 * n * (n - 1);
          return {
            name: `grid ${n} ${symmetry} ${field}`,
            bytes: () => right(writeMatrixMarket(gridLaplacian(n), { symmetry, field })),
            rows: n * n,
            cols: n * n,
            stored: n * n + (symmetry === 'general' ? 2 : 1) * edges,
            nnz: n * n + 2 * edges,
            symmetry,
            field,
          };
        }),
      ),
    );

describe('the matrix collection', () => {
  it.each(known)(
    '$name reads with the sizes known of it',
    ({ name, bytes, rows, cols, stored, nnz, symmetry, field }) => {
      const m = right(readMatrixMarket(bytes(), { name, complex: 'abs' }));
      expect(m).toMatchObject({ stored, symmetry, field });
      expect(checkCsr(m.pattern)).toEqual([]);
      expect(patternStats(m.pattern)).toMatchObject({ rows, cols, nnz });
      expect(m.values.length).toBe(nnz);
    },
  );

  it('reads back from Harwell-Boeing and Matrix Market files of ours', () => {
    for (const k of known.filter((_, n) => n % 9 === 0)) {
      const m = right(readMatrixMarket(k.bytes(), { name: k.name, complex: 'real' }));
      const hb = right(readHarwellBoeing(right(writeHarwellBoeing(m))));
      const mtx = right(readMatrixMarket(right(writeMatrixMarket(m))));
      for (const back of [hb, mtx]) {
        expect(samePattern(back.pattern, m.pattern)).toBe(true);
        expect(back.values.findIndex((x, e) => !Object.is(x, m.values[e]))).toBe(-1);
      }
    }
  });

  const others = dataFile('matrices/MANIFEST.tsv') ? readdirSync(join(DATA, 'matrices-other')) : [];
  it.skipIf(others.length === 0)('reads the matrices from elsewhere', () => {
    for (const name of others) {
      const m = right(readMatrixMarket(readFileSync(join(DATA, 'matrices-other', name)), { name, complex: 'abs' }));
      expect(checkCsr(m.pattern)).toEqual([]);
      expect(m.pattern.colIdx.length).toBeGreaterThan(0);
    }
  });
});
