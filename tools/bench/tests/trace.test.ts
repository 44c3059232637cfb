import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  categoriesSection,
  eachMatrixSection,
  instructionCounter,
  instructionSections,
  measureMatrix,
  piecesHistogram,
  setSection,
  speedupPicture,
  spmvSections,
  uzpSections,
  type Instructions,
  type MatrixResult,
} from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'filigree-trace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileOf = (name: string, places: readonly (readonly [number, number])[]): string => {
  const file = join(folder, `${name}.mtx`);
  const lines = places.map(([i, j]) => `${i + 1} ${j + 1} 1`).join('\n');
  writeFileSync(file, `%%MatrixMarket matrix coordinate real general\n20 20 ${places.length}\n${lines}\n`);
  return file;
};

const diagonal = fileOf(
  'diagonal',
  Array.from({ length: 20 }, (_, i) => [i, i] as const),
);
const band = fileOf(
  'band',
  Array.from({ length: 20 }, (_, i) => [i, (7 * i * i + 3) % 20] as const).flatMap(([i, j]) =>
    i === j ? [[i, i] as const] : [[i, i] as const, [i, j] as const],
  ),
);

const measure = async (): Promise<readonly MatrixResult[]> => {
  const options = { spmv: true, best: true, backend: 'wasm', threads: 1 };
  const found = [await measureMatrix(diagonal, options), await measureMatrix(band, options)];
  return found.map((r) => (typeof r === 'string' ? expect.unreachable(r) : r));
};

let known: Promise<readonly MatrixResult[]> | undefined;
const measured = (): Promise<readonly MatrixResult[]> => (known ??= measure());

const counter = await instructionCounter();

describe('the tables of traces', () => {
  it('are made from what the command answers', async () => {
    const results = await measured();
    expect(results.map((r) => [r.name, r.row.exact, r.best?.exact, r.row.spmv?.check.passed])).toEqual([
      ['diagonal', true, true, true],
      ['band', true, true, true],
    ]);
    const [first, second] = results as [MatrixResult, MatrixResult];
    expect(first.row.pieces).toBe(1);
    expect(second.best!.pieces).toBeLessThanOrEqual(second.row.pieces);

    const rowOf = (title: string): readonly string[] =>
      setSection(results, 0).table.rows.find((r) => r[0] === title) ?? expect.unreachable(title);
    expect(rowOf('at most 1000 pieces')).toEqual([
      'at most 1000 pieces',
      '235 of 292 (80.5 %)',
      '2 of 2 (100.0 %)',
      '2 of 2 (100.0 %)',
    ]);
    expect(rowOf('exact cover').slice(2)).toEqual(['2 of 2', '2 of 2']);
    const counts = categoriesSection(results).table.rows.map((r) => Number(r.at(-1)));
    expect(counts.reduce((a, b) => a + b)).toBe(2);
    expect(eachMatrixSection(results).table.rows.map((r) => r[0])).toEqual(['diagonal', 'band']);
    /* MKL is not on every machine. */
    const ours = spmvSections(results)[0]!.table.rows.filter((r) => !r[0]!.startsWith('MKL'));
    expect(ours.map((r) => r[2])).toEqual(['2', '0', '0', '2']);
    expect(piecesHistogram(results).match(/v8"/g)).toHaveLength(2);
  });

  it('set the speed-ups against instructions where these were counted', async () => {
    const results = await measured();
    expect(instructionSections(results)).toEqual([]);
    expect(speedupPicture(results)).toBeUndefined();

    const [first, second] = results as [MatrixResult, MatrixResult];
    const faster = { ...first.row.spmv!, speedup: 4, speedupAffine: 0.5 };
    const counted = [
      { ...first, row: { ...first.row, spmv: faster }, instructions: { csr: 100, chosen: 25, affine: 300 } },
      { ...second, instructions: { csr: 100, chosen: 200, affine: null } },
    ];
    const [table] = instructionSections(counted);
    const rowOf = (title: string): readonly string[] =>
      table!.table.rows.find((r) => r[0] === title) ?? expect.unreachable(title);
    expect(rowOf('fewer instructions, faster')).toEqual(['fewer instructions, faster', '120', '0', '1']);
    expect(rowOf('more instructions, slower').slice(0, 3)).toEqual(['more instructions, slower', '40', '1']);
    expect(rowOf('matrices')).toEqual(['matrices', '179', '1', '2']);
    expect(speedupPicture(counted)!.match(/<title>/g)).toHaveLength(3);
    expect(eachMatrixSection(counted).table.rows.map((r) => r.at(-1))).toEqual(['0.25', '2.00']);
  });

  it('set cited times beside what was measured, and say which is which', async () => {
    const results = await measured();
    expect(uzpSections(results), 'no matrix of the citation').toEqual([]);
    const spmv = { ...results[0]!.row.spmv!, csrMs: 0.004, chosenMs: 0.001, speedup: 4 };
    const [section] = uzpSections([{ ...results[0]!, name: 'nos1', row: { ...results[0]!.row, spmv } }]);
    const { head, rows } = section!.table;
    const cell = (column: string): number => Number(rows[0]![head.indexOf(column)]);
    expect(rows).toHaveLength(1);
    expect([cell('plain loop µs'), cell('chosen µs'), cell('plain loop ÷ chosen')]).toEqual([4, 1, 4]);
    expect(cell('UZP ÷ chosen')).toBeCloseTo(4 / cell('cited: plain loop ÷ UZP'), 1);
    expect(section!.notes!.join(' ')).toMatch(/“cited” were not measured with this page: they are of 2026-11-21/);
  });

  it.skipIf(typeof counter === 'string')('count instructions', async () => {
    const found = typeof counter === 'string' ? counter : await counter.count(diagonal, false);
    expect(found).toEqual({ csr: expect.any(Number), chosen: expect.any(Number), affine: null });
    const { csr, chosen } = found as Instructions;
    /* Each of 20 rows takes a value, an index and an x, and stores y; the kernel has no indices. */
    expect(csr).toBeGreaterThan(20 * 4);
    expect(chosen).toBeGreaterThan(0);
    expect(chosen).toBeLessThan(csr);
  });

  it('say what the command refuses', async () => {
    const refused = await measureMatrix(join(folder, 'nowhere.mtx'), { spmv: false, best: true, threads: 1 });
    expect(refused).toMatch(/^file\/missing: /);
  });
});
