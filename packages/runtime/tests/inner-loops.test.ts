import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, range, serially } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { a, b } = fields('f64', ij, ['a', 'b']);
const { s } = fields('f64', i, ['s']);

/* Loops within an iteration, and in turn: some may be lanes, some read what the iteration before has written. */
const kernelsOf = (rows: number, columns: number) => {
  const scope = { rows, columns };
  return {
    centred: kernel([a, b], { scope }, (a, b) => {
      for (const x of range(rows)) {
        let mean = 0.0;
        let most = -100.0;
        for (const y of range(columns)) {
          mean += a[x][y] / columns;
          most = Math.max(most, a[x][y]);
        }
        for (const y of range(columns)) b[x][y] = (a[x][y] - mean) * most;
      }
    }),
    shifted: kernel([a, b], { scope }, (a, b) => {
      for (const x of range(rows)) for (const y of range(1, columns)) b[x][y] = 0.5 * b[x][y - 1] + a[x][y];
    }),
    eliminated: kernel([b], { scope }, (b) => {
      for (const k of serially(range(rows - 1)))
        for (const x of range(k + 1, rows)) {
          const factor = b[x][k % columns] / 64;
          for (const y of serially(range(columns))) b[x][y] -= factor * b[k][y];
        }
    }),
    lessEach: kernel([a, s], { scope }, (a, s) => {
      for (const x of range(rows)) {
        let left = 1.0;
        for (const y of range(columns)) left -= a[x][y] * a[x][y];
        s[x] = left;
        for (const y of range(columns)) if (a[x][y] > 0) s[x] += a[x][y];
      }
    }),
    behind: kernel([a], { scope }, (a) => {
      for (const x of range(rows)) for (const y of serially(range(columns - 1))) a[x][y] = a[x][y + 1] + a[x][y];
    }),
  };
};

/** The same on rows of numbers. */
const plainly = (rows: number, columns: number, A: number[][], B: number[][], S: number[]): void => {
  for (let x = 0; x < rows; x++) {
    const mean = A[x].reduce((sum, v) => sum + v / columns, 0);
    const most = Math.max(...A[x]);
    for (let y = 0; y < columns; y++) B[x][y] = (A[x][y] - mean) * most;
    for (let y = 1; y < columns; y++) B[x][y] = 0.5 * B[x][y - 1] + A[x][y];
  }
  for (let k = 0; k < rows - 1; k++)
    for (let x = k + 1; x < rows; x++) {
      const factor = B[x][k % columns] / 64;
      for (let y = 0; y < columns; y++) B[x][y] -= factor * B[k][y];
    }
  for (let x = 0; x < rows; x++) {
    S[x] = A[x].reduce((left, v) => left - v * v, 1) + A[x].reduce((sum, v) => sum + Math.max(v, 0), 0);
    for (let y = 0; y < columns - 1; y++) A[x][y] = A[x][y + 1] + A[x][y];
  }
};

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

it.each([['wasm', () => wasm()] as const, ...(hasCompiler ? [['cpp', () => cpp()] as const] : [])])(
  'loops within iterations are what they are one by one on %s',
  async (_, backend) => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 70 }),
        fc.boolean(),
        async (rows, columns, together) => {
          const size = [rows, columns] as const;
          const tree = together
            ? layout(dense(i, rows).place(s), dense(ij, size).place(a, b))
            : layout(dense(i, rows).place(s), dense(ij, size).place(a), dense(ij, size).place(b));
          const sim = await made(program({ layout: tree, kernels: kernelsOf(rows, columns), backend: backend() }));
          const A = Array.from({ length: rows }, (_, x) =>
            Array.from({ length: columns }, (_, y) => (((x * 7 + y * 5) % 17) - 8) / 8),
          );
          A.forEach((row, x) => row.forEach((v, y) => sim.field(a).set([x, y], v)));
          for (const run of Object.values(sim.run)) run();
          const B = A.map((row) => row.map(() => 0));
          const S = A.map(() => 0);
          plainly(rows, columns, A, B, S);
          const near = (got: number, wanted: number) => Math.abs(got - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
          for (let x = 0; x < rows; x++) {
            expect(near(sim.field(s).get(x), S[x])).toBe(true);
            for (let y = 0; y < columns; y++) {
              expect(near(sim.field(b).get([x, y]), B[x][y])).toBe(true);
              expect(near(sim.field(a).get([x, y]), A[x][y])).toBe(true);
            }
          }
          sim.dispose();
        },
      ),
      { numRuns: 12 },
    );
  },
  120_000,
);
