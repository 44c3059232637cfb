import { expect, it } from 'vitest';
import { applicationCase, fieldTables, measureApplication, measureMicro } from '../src/index.js';

it('the tables of fields have a row for each application, part of the optimiser and small measurement', async () => {
  const said: string[] = [];
  const { sections, chart } = await fieldTables({
    applications: ['sparse-cnn'],
    size: 16,
    dtype: 'f32',
    threads: 1,
    backend: 'wasm',
    parts: ['merge-accesses', 'privatize+integer-range'],
    rounds: 2,
    minMs: 0.1,
    cells: 1024,
    seconds: 120,
    say: (line) => said.push(line),
  });
  const [beside, parts, small] = sections.map((s) => s.table);
  expect(beside.rows.map((r) => r[0])).toEqual(['sparse-cnn']);
  expect(beside.rows[0]).toHaveLength(beside.head.length);
  expect(beside.rows[0][4]).toMatch(/^\d+$/);
  expect(parts.head).toEqual(['', 'sparse-cnn']);
  expect(parts.rows.map((r) => r[0])).toEqual([
    'everything on',
    'without merge-accesses',
    'without privatize+integer-range',
    'everything off',
    'C++ by hand',
  ]);
  for (const [, cell] of parts.rows.slice(0, 4)) expect(cell).toMatch(/^\d/);
  expect(small.rows.filter((r) => r[0].startsWith('cells activated: hash')).length).toBeGreaterThan(0);
  expect(small.rows.at(-1)![0]).toContain("'forward' of sparse-cnn, the slowest of 1");
  expect(small.rows.at(-1)![1]).toMatch(/^\d.* ms$/);
  expect(chart).toContain('sparse-cnn: on');
  expect(said.some((line) => line.includes('everything off'))).toBe(true);
}, 180_000);

it('what an application answers is compared, and nothing that is wrong is timed', async () => {
  const right = await applicationCase('fem', 16);
  const far = right.distance([1, 2, 3], [1, 2, 4]);
  expect(far).toBeCloseTo(0.25);
  expect(far).toBeGreaterThan(right.tolerance.f32);
  expect(right.distance([1, 2, NaN], [1, 2, 4])).toBe(Infinity);

  const picture = await applicationCase('path-tracer', 16);
  const noise = Float64Array.from({ length: 1000 }, (_, k) => Math.sin(k * k));
  expect(
    picture.distance(
      noise.map((x) => 2 + x),
      noise.map((x) => 2 - x),
    ),
  ).toBeLessThan(picture.tolerance.f32);
  expect(
    picture.distance(
      noise.map((x) => 2.5 + x),
      noise.map((x) => 2 - x),
    ),
  ).toBeGreaterThan(picture.tolerance.f32);
});

it('a part that there is not, and a backend that there is not, have their fault in the place of a time', async () => {
  const { on, without, off } = await measureApplication({
    name: 'sparse-cnn',
    size: 16,
    dtype: 'f32',
    threads: 1,
    backend: 'abacus',
    parts: ['magic'],
  });
  expect(on.ms).toBe('runtime/backend');
  expect(without.magic.ms).toBe('ablate/unknown');
  expect(off.ms).toBe('runtime/backend');
});

it('small measurements are positive and count what they say', async () => {
  const results = await measureMicro({ cells: 256, rounds: 2, backend: 'wasm' });
  expect(results.length).toBeGreaterThan(12);
  for (const { what, value } of results) expect(value, what).toBeGreaterThan(0);
});
