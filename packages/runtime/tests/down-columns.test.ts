import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, range } from '@filigree/lang/kernels';
import { program } from '@filigree/runtime';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { a, b, c } = fields('f32', ij, ['a', 'b', 'c']);
const { x, y, most } = fields('f32', i, ['x', 'y', 'most']);
const { counts } = fields('i32', ij, ['counts']);

/* Columns are what threads and lanes take, and each goes down its rows, up or down. */
const kernelsOf = (rows: number, columns: number) => {
  const scope = { rows, columns };
  return {
    product: kernel([a, x, y], { scope }, (a, x, y) => {
      for (const j of range(columns)) {
        let s = 0;
        for (let i = 0; i < rows; i++) s += a[i][j] * x[i];
        y[j] = s;
      }
    }),
    some: kernel([a, y, 'i32'], { scope }, (a, y, n: number) => {
      for (const j of range(n)) for (let i = 0; i < rows; i++) y[j] += a[i][j];
    }),
    greatest: kernel([a, most], { scope }, (a, most) => {
      for (const j of range(columns)) {
        let greatest = a[0][j];
        for (const i of range(1, rows)) greatest = Math.max(greatest, a[i][j]);
        most[j] = greatest;
      }
    }),
    counted: kernel([counts], { scope }, (counts) => {
      for (const j of range(columns)) for (let i = 1; i < rows; i++) counts[i][j] += counts[i - 1][j];
    }),
    solved: kernel([a, b, c], { scope }, (a, b, c) => {
      for (const j of range(columns)) {
        c[0][j] = -0.25;
        b[0][j] = a[0][j];
        for (let i = 1; i < rows; i++) {
          const m = 1 / (1.5 + 0.25 * c[i - 1][j]);
          c[i][j] = -0.25 * m;
          b[i][j] = (a[i][j] + 0.25 * b[i - 1][j]) * m;
        }
        for (let i = rows - 2; i >= 0; i--) b[i][j] -= c[i][j] * b[i + 1][j];
      }
    }),
  };
};

const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

describe.each([['wasm', () => wasm()] as const, ...(hasCompiler ? [['cpp', () => cpp()] as const] : [])])(
  'columns on %s',
  (_, backend) => {
    it.each([
      [33, 40, 1],
      [40, 129, 2],
      [64, 256, 1],
      [37, 515, 2],
      [50, 1030, 1],
    ])('%d rows, %d columns, %d threads', async (rows, columns, threads) => {
      const sim = await made(
        program({
          layout: layout(
            dense(ij, [rows, columns]).place(a, b, c, counts),
            dense(i, rows).place(x),
            dense(i, columns).place(y, most),
          ),
          kernels: kernelsOf(rows, columns),
          backend: backend(),
          threads,
        }),
      );
      try {
        const A = Array.from({ length: rows }, (_, i) =>
          Array.from({ length: columns }, (_, j) => ((7 * i + 13 * j) % 32) / 8),
        );
        const X = Array.from({ length: rows }, (_, i) => (i % 5) - 2);
        sim.field(a).fromArray(A.flat());
        sim.field(x).fromArray(X);
        sim.field(counts).fromArray(A.flat().map((v) => 8 * v));
        sim.run.product();
        sim.run.some(columns - 3);
        sim.run.greatest();
        sim.run.counted();
        sim.run.solved();
        const down = (j: number, f: (v: number, i: number) => number): number =>
          A.reduce((s, row, i) => s + f(row[j], i), 0);
        const columnsOf = <T>(f: (j: number) => T): T[] => Array.from({ length: columns }, (_, j) => f(j));
        expect([...sim.field(y).toArray()]).toEqual(
          columnsOf((j) => down(j, (v, i) => v * X[i]) + (j < columns - 3 ? down(j, (v) => v) : 0)),
        );
        expect([...sim.field(most).toArray()]).toEqual(columnsOf((j) => Math.max(...A.map((row) => row[j]))));
        const total = sim.field(counts).toArray().slice(-columns);
        expect([...total]).toEqual(columnsOf((j) => down(j, (v) => 8 * v)));
        const B = sim.field(b).toArray();
        for (let j = 0; j < columns; j++)
          for (let i = 0; i < rows; i++) {
            const at = (k: number): number => (k < 0 || k >= rows ? 0 : B[k * columns + j]);
            /* What it solves: the first row is 1 x₀ - ¼ x₁, since the program begins so. */
            const left = i === 0 ? at(0) - 0.25 * at(1) : 1.5 * at(i) - 0.25 * (at(i - 1) + at(i + 1));
            expect(Math.abs(left - A[i][j])).toBeLessThan(1e-5);
          }
      } finally {
        sim.dispose();
      }
    });
  },
);
