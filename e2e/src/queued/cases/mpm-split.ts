import { active, f64, i32, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { times, type QueuedCase } from '../case.js';
import { splitMpm, STEPS, type MpmConstants } from './mpm-reference.js';
import { gather, weight } from './particle-transfer.js';

export const mpmSplit: QueuedCase = {
  name: 'mpm-split',
  shows: 'a fluid by the material point method, each operation on particles or nodes a kernel of its own',
  n: 64,
  multiple: 8,
  most: 2048,
  steps: 4,
  rounding: 1e5,
  make: (n, float) => {
    const constants: MpmConstants = {
      n,
      particles: 2 * n * n,
      dt: 0.008 / n,
      mass: 1,
      volume: 1 / (4 * n * n),
      stiffness: 400,
      gravity: 9.8,
      wall: 3,
    };
    const { particles, dt, mass, volume, stiffness, gravity, wall } = constants;
    const { x, y, u, v, cxx, cxy, cyx, cyy, J } = fields(float, i, [
      'x',
      'y',
      'u',
      'v',
      'cxx',
      'cxy',
      'cyx',
      'cyy',
      'J',
    ]);
    const { gu, gv, gm } = fields(float, ij, ['gu', 'gv', 'gm']);
    const scope = { ...constants, weight };
    const kernels = {
      init: kernel([x, y, u, v, J], { float, scope }, (x, y, u, v, J) => {
        for (const p of range(particles)) {
          /* Beyond 270,000 particles the product is no i32. */
          x[p] = 0.2 + (0.4 * ((f64(p) * 7919) % particles)) / particles;
          y[p] = 0.1 + (0.4 * p) / particles;
          u[p] = 0;
          v[p] = -1;
          J[p] = 1;
        }
      }),
      clearMomentum: kernel([gu, gv], { float }, (gu, gv) => {
        for (const [a, b] of active(gu)) {
          gu[a][b] = 0;
          gv[a][b] = 0;
        }
      }),
      clearMass: kernel([gm], { float }, (gm) => {
        for (const [a, b] of active(gm)) gm[a][b] = 0;
      }),
      scatter: kernel(
        [x, y, u, v, cxx, cxy, cyx, cyy, J, gu, gv, gm],
        { float, scope },
        (x, y, u, v, cxx, cxy, cyx, cyy, J, gu, gv, gm) => {
          for (const p of active(x)) {
            const a = i32(Math.floor(x[p] * n - 0.5));
            const b = i32(Math.floor(y[p] * n - 0.5));
            const stress = -dt * 4 * stiffness * volume * (J[p] - 1) * n * n;
            for (const k of range(3))
              for (const l of range(3)) {
                const w = weight(k, x[p] * n - a) * weight(l, y[p] * n - b);
                const dx = (a + k) / n - x[p];
                const dy = (b + l) / n - y[p];
                gu[a + k][b + l] += w * (mass * (u[p] + cxx[p] * dx + cxy[p] * dy) + stress * dx);
                gv[a + k][b + l] += w * (mass * (v[p] + cyx[p] * dx + cyy[p] * dy) + stress * dy);
                gm[a + k][b + l] += w * mass;
              }
          }
        },
      ),
      divide: kernel([gu, gv, gm], { float }, (gu, gv, gm) => {
        for (const [a, b] of active(gm))
          if (gm[a][b] > 0) {
            gu[a][b] /= gm[a][b];
            gv[a][b] /= gm[a][b];
          }
      }),
      fall: kernel([gv], { float, scope }, (gv) => {
        for (const [a, b] of active(gv)) gv[a][b] -= dt * gravity;
      }),
      sides: kernel([gu], { float, scope }, (gu) => {
        for (const [a, b] of active(gu)) {
          if (a < wall && gu[a][b] < 0) gu[a][b] = 0;
          if (a > n - wall && gu[a][b] > 0) gu[a][b] = 0;
        }
      }),
      floor: kernel([gv], { float, scope }, (gv) => {
        for (const [a, b] of active(gv)) {
          if (b < wall && gv[a][b] < 0) gv[a][b] = 0;
          if (b > n - wall && gv[a][b] > 0) gv[a][b] = 0;
        }
      }),
      gather: kernel([x, y, u, v, cxx, cxy, cyx, cyy, gu, gv], { float, scope }, gather),
      move: kernel([x, y, u, v], { float, scope }, (x, y, u, v) => {
        for (const p of active(x)) {
          x[p] += dt * u[p];
          y[p] += dt * v[p];
        }
      }),
      swell: kernel([cxx, cyy, J], { float, scope }, (cxx, cyy, J) => {
        for (const p of active(cxx)) J[p] *= 1 + dt * (cxx[p] + cyy[p]);
      }),
    };
    return {
      layout: layout(dense(i, particles).place(x, y, u, v, cxx, cxy, cyx, cyy, J), dense(ij, n).place(gu, gv, gm)),
      kernels,
      start: (run) => run.init(),
      step: (run) =>
        times(STEPS, () => {
          run.clearMomentum();
          run.clearMass();
          run.scatter();
          run.divide();
          run.fall();
          run.sides();
          run.floor();
          run.gather();
          run.move();
          run.swell();
        }),
      reference: (steps) => splitMpm(constants, steps),
    };
  },
};
