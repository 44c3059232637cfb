import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  categoriesSection,
  eachMatrixSection,
  measureMatrix,
  piecesHistogram,
  setSection,
  speedupPicture,
  spmvSections,
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

const measured = async (): Promise<readonly MatrixResult[]> => {
  const options = { spmv: true, best: true, backend: 'wasm', threads: 1 };
  const found = [await measureMatrix(diagonal, options), await measureMatrix(band, options)];
  return found.map((r) => (typeof r === 'string' ? expect.unreachable(r) : r));
};

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
    expect(spmvSections(results)[0]!.table.rows.map((r) => r[2])).toEqual(['2', '0', '2']);
    expect(piecesHistogram(results).match(/v8"/g)).toHaveLength(2);
    expect(speedupPicture(results).match(/<circle/g)).toHaveLength(4);
  });

  it('say what the command refuses', async () => {
    const refused = await measureMatrix(join(folder, 'nowhere.mtx'), { spmv: false, best: true, threads: 1 });
    expect(refused).toMatch(/^file\/missing: /);
  });
});
