import { active, conjugateGradients, f64, idiv, kernel, ndrange, unrolled, type Grid3 } from '@filigree/lang';
import { field, ijk, layout } from '@filigree/sparse';
import type { Blocks } from '../layouts.js';
import { BLOCK, type PoissonSetup } from './setup.js';

/* A level's cells lie one block from the edges, so that what is beside a block is always there to be read. */
const around = (u: Grid3, i: number, j: number, k: number) =>
  u[i - 1][j][k] + u[i + 1][j][k] + u[i][j - 1][k] + u[i][j + 1][k] + u[i][j][k - 1] + u[i][j][k + 1];

/** The first red half sweep from zero. */
const start = (z: Grid3, r: Grid3) => {
  for (const [i, j, k] of active(z)) z[i][j][k] = (i + j + k) % 2 === 0 ? r[i][j][k] / 6 : 0;
};

const relax = (z: Grid3, r: Grid3, colour: number) => {
  for (const [i, j, k] of active(z)) if ((i + j + k) % 2 === colour) z[i][j][k] = (r[i][j][k] + around(z, i, j, k)) / 6;
};

/** The residual, which is zero outside the domain, and half the sum of eight. */
const restrict = (z: Grid3, r: Grid3, residual: Grid3, coarse: Grid3) => {
  for (const [i, j, k] of active(z)) residual[i][j][k] = r[i][j][k] - 6 * z[i][j][k] + around(z, i, j, k);
  for (const [I, J, K] of active(coarse)) {
    let sum = 0;
    for (const [a, b, c] of unrolled(ndrange(2, 2, 2))) sum += residual[2 * I + a - 8][2 * J + b - 8][2 * K + c - 8];
    coarse[I][J][K] = sum / 2;
  }
};

const prolong = (z: Grid3, coarse: Grid3) => {
  for (const [i, j, k] of active(z)) z[i][j][k] = z[i][j][k] + coarse[idiv(i, 2) + 4][idiv(j, 2) + 4][idiv(k, 2) + 4];
};

const multiply = (p: Grid3, q: Grid3) => {
  let sum = f64(0);
  for (const [i, j, k] of active(p)) {
    q[i][j][k] = 6 * p[i][j][k] - around(p, i, j, k);
    sum += f64(p[i][j][k] * q[i][j][k]);
  }
  return sum;
};

/** Where the data lie, and the kernels: those of a level have its number at the end of their names. */
export const mgpcg = ({ n, levels }: PoissonSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const numbers = Array.from({ length: levels }, (_, l) => l);
  const [x, p, q] = ['x', 'p', 'q'].map((name) => field(name, float));
  const [z, r, residual] = ['z', 'r', 'residual'].map((name) => numbers.map((l) => field(`${name}${l}`, float)));
  /* Each field in blocks of its own, as a loop reads few of them and memory is read fastest in one go. */
  const onLevel = numbers.map((l) => [
    ...(l === 0 ? [x, p, q] : []),
    ...[z[l], r[l]],
    ...(l + 1 < levels ? [residual[l]] : []),
  ]);
  const blocksOn = (l: number) => blocks(ijk, n / 2 ** l / BLOCK + 2).dense(ijk, BLOCK);
  const grid = layout(...onLevel.flatMap((all, l) => all.map((f) => blocksOn(l).place(f))));
  const options = { float, scope: { around } };
  const ofLevel = (l: number) => ({
    [`start${l}`]: kernel([z[l], r[l]], start, options),
    [`relax${l}`]: kernel([z[l], r[l], 'i32'], relax, options),
    ...(l + 1 < levels && {
      [`restrict${l}`]: kernel([z[l], r[l], residual[l], r[l + 1]], restrict, options),
      [`prolong${l}`]: kernel([z[l], z[l + 1]], prolong, options),
    }),
  });
  const kernels = {
    multiply: kernel([p, q], multiply, options),
    ...conjugateGradients({ x, p, q, r: r[0], z: z[0] }),
    ...Object.assign({}, ...numbers.map(ofLevel)),
  };
  return { layout: grid, kernels, fields: { x, p, q, r: r[0] }, onLevel };
};
