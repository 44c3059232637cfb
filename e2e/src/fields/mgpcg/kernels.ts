import {
  active,
  conjugateGradients,
  f64,
  idiv,
  kernel,
  ndrange,
  sum,
  unrolled,
  type Grid3,
} from '@filigree/lang/kernels';
import { field, ijk, layout } from '@filigree/sparse/fields';
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
    const eight = unrolled(ndrange([-8, -6], [-8, -6], [-8, -6]));
    coarse[I][J][K] = sum(eight, ([a, b, c]) => residual[2 * I + a][2 * J + b][2 * K + c]) / 2;
  }
};

const prolong = (z: Grid3, coarse: Grid3) => {
  for (const [i, j, k] of active(z)) z[i][j][k] = z[i][j][k] + coarse[idiv(i, 2) + 4][idiv(j, 2) + 4][idiv(k, 2) + 4];
};

const multiply = (p: Grid3, q: Grid3) => {
  let pq = f64(0);
  for (const [i, j, k] of active(p)) {
    q[i][j][k] = 6 * p[i][j][k] - around(p, i, j, k);
    pq += f64(p[i][j][k] * q[i][j][k]);
  }
  return pq;
};

/** Where the data lie, and the kernels: those of a level have its number at the end of their names. */
export const mgpcg = ({ n, levels }: PoissonSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const numbers = Array.from({ length: levels }, (_, l) => l);
  const [x, p, q] = ['x', 'p', 'q'].map((name) => field(name, float));
  const [z, r, residual] = ['z', 'r', 'residual'].map((name) => numbers.map((l) => field(`${name}${l}`, float)));
  const onLevel = numbers.map((l) => [z[l], r[l], residual[l], ...(l === 0 ? [x, p, q] : [])]);
  /* Each field in blocks of its own, as a loop reads few of them and memory is read fastest in one go. */
  const blocksOn = (l: number) => blocks(ijk, n / 2 ** l / BLOCK + 2).dense(ijk, BLOCK);
  const grid = layout(...onLevel.flatMap((all, l) => all.map((f) => blocksOn(l).place(f))));
  const options = { float, scope: { around } };
  const ofLevel = (l: number) => ({
    [`start${l}`]: kernel([z[l], r[l]], options, start),
    [`relax${l}`]: kernel([z[l], r[l], 'i32'], options, relax),
    ...(l + 1 < levels && {
      [`restrict${l}`]: kernel([z[l], r[l], residual[l], r[l + 1]], options, restrict),
      [`prolong${l}`]: kernel([z[l], z[l + 1]], options, prolong),
    }),
  });
  const kernels = {
    multiply: kernel([p, q], options, multiply),
    ...conjugateGradients({ x, p, q, r: r[0], z: z[0] }),
    ...Object.assign({}, ...numbers.map(ofLevel)),
  };
  return { layout: grid, kernels, fields: { x, p, q, r: r[0] }, onLevel };
};

/** The kernels of levels as they are launched. */
export type Launches = Readonly<Record<string, (colour?: number) => void>>;

/** One V-cycle on the right-hand side of level l. */
export const cycle = (run: Launches, setup: PoissonSetup, l = 0): void => {
  const coarsest = l + 1 === setup.levels;
  const halves = 2 * (coarsest ? setup.bottom : setup.smooth);
  run[`start${l}`]();
  for (let half = 1; half < halves; half++) run[`relax${l}`](half % 2);
  if (!coarsest) {
    run[`restrict${l}`]();
    cycle(run, setup, l + 1);
    run[`prolong${l}`]();
  }
  for (let half = halves - 1; half >= 0; half--) run[`relax${l}`](half % 2);
};
