import { active, idiv, kernel, range, type Grid1, type Grid2 } from '@filigree/lang/kernels';
import { dense, field, fields, i, ij, layout } from '@filigree/sparse/fields';
import { times, type QueuedCase } from '../case.js';
import { diskPoisson, LEVELS, SWEEPS, type DiskConstants } from './mgpcg2d-reference.js';

const BLOCK = 4;

/* What is outside of the disk is zero. */
const around = (u: Grid2, i: number, j: number) => u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];

/**
 * Conjugate gradients with a V-cycle before each step, on a disk of sparse blocks (thesis §4.8.4). The numbers of the iteration stay in
 * fields, and what is restricted activates the coarser level.
 */
export const mgpcg2d: QueuedCase = {
  name: 'mgpcg2d',
  shows: 'conjugate gradients with multigrid on a disk of sparse blocks, every operation a launch',
  n: 256,
  multiple: BLOCK * 2 ** (LEVELS - 1),
  most: 4096,
  steps: 3,
  rounding: 1e6,
  layouts: true,
  make: (n, float, kind) => {
    const constants: DiskConstants = { n, block: BLOCK };
    const numbers = Array.from({ length: LEVELS }, (_, l) => l);
    const { x, p, q } = fields(float, ij, ['x', 'p', 'q']);
    const [z, r] = ['z', 'r'].map((name) => numbers.map((l) => field(`${name}${l}`, float, { axes: ij })));
    const { pq, zr, before, alpha, beta } = fields('f64', i, ['pq', 'zr', 'before', 'alpha', 'beta']);
    const blocksOn = (l: number) =>
      dense(ij, n / 2 ** l / BLOCK)
        [kind]()
        .dense(ij, BLOCK);
    const [middle, radius] = [n / 2, 0.4 * n];
    const scope = { n, around, middle, radius };
    const setTo = (to: typeof x, value: number, name: string) =>
      kernel([to], { float, scope: { value }, name }, (to) => {
        for (const [i, j] of active(to)) to[i][j] = value;
      });
    const dot = (a: typeof x, b: typeof x, into: typeof pq, name: string) =>
      kernel([a, b, into], { float, name }, (a: Grid2, b: Grid2, into: Grid1) => {
        for (const [i, j] of active(a)) into[0] += a[i][j] * b[i][j];
      });
    const clear = (sum: typeof pq, name: string) =>
      kernel([sum], { float, name }, (sum) => {
        sum[0] = 0;
      });
    const ofLevel = (l: number) => {
      const coarser = l + 1 < LEVELS;
      const kernels = {
        [`clearZ${l}`]: setTo(z[l], 0, `clearZ${l}`),
        ...Object.fromEntries(
          [0, 1].map((colour) => [
            `relax${l}_${colour}`,
            kernel([z[l], r[l]], { float, scope: { ...scope, colour }, name: `relax${l}_${colour}` }, (z, r) => {
              for (const [i, j] of active(r)) if ((i + j) % 2 === colour) z[i][j] = (r[i][j] + around(z, i, j)) / 4;
            }),
          ]),
        ),
      };
      if (!coarser) return kernels;
      return {
        ...kernels,
        [`clearR${l + 1}`]: setTo(r[l + 1], 0, `clearR${l + 1}`),
        [`restrict${l}`]: kernel([z[l], r[l], r[l + 1]], { float, scope, name: `restrict${l}` }, (z, r, coarse) => {
          for (const [i, j] of active(r))
            coarse[idiv(i, 2)][idiv(j, 2)] += 0.5 * (r[i][j] - 4 * z[i][j] + around(z, i, j));
        }),
        [`prolong${l}`]: kernel([z[l], z[l + 1]], { float, name: `prolong${l}` }, (z, coarse) => {
          for (const [i, j] of active(z)) z[i][j] += coarse[idiv(i, 2)][idiv(j, 2)];
        }),
      };
    };
    const kernels = {
      init: kernel([r[0]], { float, scope }, (r) => {
        for (const i of range(n))
          for (const j of range(n)) {
            const dx = i + 0.5 - middle;
            const dy = j + 0.5 - middle;
            if (dx * dx + dy * dy < radius * radius) r[i][j] = Math.sin(i / 9) * Math.cos(j / 7);
          }
      }),
      multiply: kernel([p, q], { float, scope }, (p, q) => {
        for (const [i, j] of active(p)) q[i][j] = 4 * p[i][j] - around(p, i, j);
      }),
      clearPq: clear(pq, 'clearPq'),
      clearZr: clear(zr, 'clearZr'),
      sumPq: dot(p, q, pq, 'sumPq'),
      sumZr: dot(z[0], r[0], zr, 'sumZr'),
      stepLength: kernel([pq, zr, before, alpha], { float: 'f64' }, (pq, zr, before, alpha) => {
        alpha[0] = zr[0] / pq[0];
        before[0] = zr[0];
      }),
      turn: kernel([zr, before, beta], { float: 'f64' }, (zr, before, beta) => {
        beta[0] = zr[0] / before[0];
      }),
      advance: kernel([x, p, alpha], { float }, (x, p, alpha) => {
        for (const [i, j] of active(p)) x[i][j] += alpha[0] * p[i][j];
      }),
      reduce: kernel([r[0], q, alpha], { float }, (r, q, alpha) => {
        for (const [i, j] of active(q)) r[i][j] -= alpha[0] * q[i][j];
      }),
      follow: kernel([p, z[0], beta], { float }, (p, z, beta) => {
        for (const [i, j] of active(z)) p[i][j] = z[i][j] + beta[0] * p[i][j];
      }),
      ...(Object.assign({}, ...numbers.map(ofLevel)) as ReturnType<typeof ofLevel>),
    };
    const cycle = (run: Readonly<Record<string, () => number>>, l = 0): void => {
      const sweep = (colours: readonly number[], count: number): void =>
        times(count, () => colours.forEach((c) => run[`relax${l}_${c}`]()));
      run[`clearZ${l}`]();
      sweep([0, 1], SWEEPS[l]);
      if (l + 1 < LEVELS) {
        run[`clearR${l + 1}`]();
        run[`restrict${l}`]();
        cycle(run, l + 1);
        run[`prolong${l}`]();
      }
      sweep([1, 0], SWEEPS[l]);
    };
    return {
      layout: layout(
        blocksOn(0).place(x, p, q, z[0], r[0]),
        ...numbers.slice(1).map((l) => blocksOn(l).place(z[l], r[l])),
        dense(i, 1).place(pq, zr, before, alpha, beta),
      ),
      kernels,
      start: (run) => {
        run.init();
        cycle(run);
        run.clearZr();
        run.sumZr();
        run.follow();
      },
      step: (run) => {
        run.multiply();
        run.clearPq();
        run.sumPq();
        run.stepLength();
        run.advance();
        run.reduce();
        cycle(run);
        run.clearZr();
        run.sumZr();
        run.turn();
        run.follow();
      },
      reference: (steps) => ({ x: diskPoisson(constants, steps) }),
    };
  },
};
