import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, ij, ijkl, layout } from '@filigree/sparse/fields';
import { describe, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

/* Inner parts of grids along one axis, and along three, at edges of which some neighbours are missing. */
const N = 14;
const { line } = fields('f64', ij, ['line']);
const { cube } = fields('f64', ijkl, ['cube']);
const { c, loss } = fields('f64', i, ['c', 'loss']);
const tree = layout(
  dense(ij, [4, 40]).place(line),
  dense(ijkl, [2, N, N, N]).place(cube),
  dense(i, 40).place(c),
  dense(i, 1).place(loss),
);
const reset = kernel([line, cube, loss], { scope: { N } }, (line, cube, loss) => {
  loss[0] = 0.0;
  for (const t of range(1, 4)) for (const p of range(40)) line[t][p] = 0.0;
  for (const a of range(N)) for (const b of range(N)) for (const d of range(N)) cube[1][a][b][d] = 0.0;
});
const alongOne = kernel([line, c, loss], (line, c, loss) => {
  for (const p of range(2, 38)) line[1][p] = line[0][p - 2] * line[0][p + 1] * c[p] + Math.sin(line[0][p]);
  for (const p of range(1, 39)) line[2][p] = line[1][p + 1] * line[0][p - 1] + line[1][p - 1] * c[p];
  for (const p of range(1, 39)) line[3][p] = 2 * line[2][p] - line[1][p] + 0.3 * (line[2][p + 1] + line[2][p - 1]);
  for (const p of range(40)) loss[0] += line[3][p] * line[3][p] * (p + 1) * 0.1;
});
const alongThree = kernel([cube, loss], { scope: { N } }, (cube, loss) => {
  for (const a of range(1, N - 1))
    for (const b of range(2, N - 1))
      for (const d of range(1, N - 2))
        cube[1][a][b][d] =
          Math.sin(cube[0][a + 1][b][d] * cube[0][a - 1][b][d]) +
          cube[0][a][b - 2][d + 2] * 0.5 -
          cube[0][a][b + 1][d - 1] ** 2;
  for (const a of range(N))
    for (const b of range(N))
      for (const d of range(N)) loss[0] += cube[1][a][b][d] ** 2 * (0.1 * a + 0.2 * b + 0.3 * d);
});

describe('gradients of inner parts of grids', () => {
  for (const [name, backend, threads] of [
    ['cpp', cpp(), 2],
    ['wasm', wasm(), 1],
  ] as const) {
    it(`are those of differences along one axis, on ${name}`, async () => {
      const values = [
        ...Array.from({ length: 40 }, (_, p) => [line, [0, p], 0.6 + 0.3 * Math.sin(3 * p)] as const),
        ...Array.from({ length: 40 }, (_, p) => [c, [p], 0.5 + 0.3 * Math.cos(p)] as const),
      ];
      await checkGradient({ layout: tree, f: alongOne, reset, loss, values, backend, threads });
    });
    it(`are those of differences along three axes, on ${name}`, async () => {
      const places = [[0, 4, 4, 4], [0, 1, 2, 1], [0, 0, 3, 5], [0, 13, 12, 11], [0, 7, 0, 13], [0, 6, 13, 0], [0, 12, 12, 12], [0, 2, 1, 3]]; // prettier-ignore
      const values = places.map((at, n) => [cube, at, 0.4 + 0.1 * n] as const);
      await checkGradient({ layout: tree, f: alongThree, reset, loss, values, backend, threads });
    });
  }
});
