import { adjointField } from '@filigree/autodiff';
import { active, i32, idiv, kernel, math, range } from '@filigree/lang/kernels';
import { dense, fields, i, ij, layout } from '@filigree/sparse/fields';
import { times, type QueuedCase } from '../case.js';
import { fallingMesh, STEPS, type MeshConstants } from './forces-reference.js';
import { gather, weight } from './particle-transfer.js';

/** A sheet of triangles that falls onto a ball, its forces the gradient of its energy (thesis §4.8.5). */
export const autodiffForces: QueuedCase = {
  name: 'autodiff-forces',
  shows: 'a sheet of triangles falls onto a ball; its forces are the gradient of an energy that nobody asks for',
  n: 64,
  multiple: 8,
  most: 2048,
  steps: 10,
  rounding: 1e6,
  make: (n, float) => {
    const side = n / 2;
    const constants: MeshConstants = {
      n,
      side,
      spacing: 0.5 / n,
      dt: 0.004 / n,
      mass: 1 / (4 * n * n),
      mu: 200,
      lambda: 200,
      gravity: 9.8,
      wall: 3,
      ball: { x: 0.55, y: 0.3, radius: 0.15 },
    };
    const { spacing, dt, mass, mu, lambda, gravity, wall, ball } = constants;
    const { x, y, u, v, cxx, cxy, cyx, cyy } = fields(float, i, ['x', 'y', 'u', 'v', 'cxx', 'cxy', 'cyx', 'cyy']);
    const { va, vb, vc } = fields('i32', i, ['va', 'vb', 'vc']);
    const { gu, gv, gm } = fields(float, ij, ['gu', 'gv', 'gm']);
    const { energy } = fields(float, i, ['energy']);
    const vertices = side * side;
    const cells = (side - 1) * (side - 1);
    const { x: ballX, y: ballY, radius } = ball;
    const scope = {
      ...{ n, side, vertices, cells, spacing, dt, mass, mu, lambda, gravity, wall, ballX, ballY, radius },
      weight,
    };
    const kernels = {
      init: kernel([x, y, u, v], { float, scope }, (x, y, u, v) => {
        for (const p of range(vertices)) {
          x[p] = 0.4 + spacing * (p % side);
          y[p] = 0.46 + spacing * idiv(p, side);
          u[p] = 0;
          v[p] = -3;
        }
      }),
      connect: kernel([va, vb, vc], { float, scope }, (va, vb, vc) => {
        for (const c of range(cells)) {
          const corner = side * idiv(c, side - 1) + (c % (side - 1));
          va[2 * c] = corner;
          vb[2 * c] = corner + 1;
          vc[2 * c] = corner + side;
          va[2 * c + 1] = corner + side + 1;
          vb[2 * c + 1] = corner + side;
          vc[2 * c + 1] = corner + 1;
        }
      }),
      reset: kernel([energy], { float }, (energy) => {
        energy[0] = 0;
      }),
      sumEnergy: kernel([va, vb, vc, x, y, energy], { float, scope }, (va, vb, vc, x, y, energy) => {
        for (const t of active(va)) {
          /* Both triangles of a cell have right angles; those of the second point the other way. */
          const size = t % 2 === 0 ? spacing : -spacing;
          const a = (x[vb[t]] - x[va[t]]) / size;
          const b = (x[vc[t]] - x[va[t]]) / size;
          const c = (y[vb[t]] - y[va[t]]) / size;
          const d = (y[vc[t]] - y[va[t]]) / size;
          const growth = math.log(a * d - b * c);
          const density = 0.5 * mu * (a * a + b * b + c * c + d * d - 2) - mu * growth + 0.5 * lambda * growth * growth;
          energy[0] += 0.5 * spacing * spacing * density;
        }
      }),
      clearVelocity: kernel([gu, gv], { float }, (gu, gv) => {
        for (const [a, b] of active(gu)) {
          gu[a][b] = 0;
          gv[a][b] = 0;
        }
      }),
      clearMass: kernel([gm], { float }, (gm) => {
        for (const [a, b] of active(gm)) gm[a][b] = 0;
      }),
      scatter: kernel(
        [x, y, u, v, cxx, cxy, cyx, cyy, adjointField(x), adjointField(y), gu, gv, gm],
        { float, scope },
        (x, y, u, v, cxx, cxy, cyx, cyy, slopeX, slopeY, gu, gv, gm) => {
          for (const p of active(x)) {
            const a = i32(Math.floor(x[p] * n - 0.5));
            const b = i32(Math.floor(y[p] * n - 0.5));
            for (const k of range(3))
              for (const l of range(3)) {
                const w = weight(k, x[p] * n - a) * weight(l, y[p] * n - b);
                const dx = (a + k) / n - x[p];
                const dy = (b + l) / n - y[p];
                gu[a + k][b + l] += w * (mass * (u[p] + cxx[p] * dx + cxy[p] * dy) - dt * slopeX[p]);
                gv[a + k][b + l] += w * (mass * (v[p] + cyx[p] * dx + cyy[p] * dy) - dt * slopeY[p]);
                gm[a + k][b + l] += w * mass;
              }
          }
        },
      ),
      obstacles: kernel([gu, gv, gm], { float, scope }, (gu, gv, gm) => {
        for (const [a, b] of active(gm))
          if (gm[a][b] > 0) {
            gu[a][b] = gu[a][b] / gm[a][b];
            gv[a][b] = gv[a][b] / gm[a][b] - dt * gravity;
            const dx = a / n - ballX;
            const dy = b / n - ballY;
            if (dx * dx + dy * dy < radius * radius && gu[a][b] * dx + gv[a][b] * dy < 0) {
              gu[a][b] = 0;
              gv[a][b] = 0;
            }
            if (a < wall && gu[a][b] < 0) gu[a][b] = 0;
            if (a > n - wall && gu[a][b] > 0) gu[a][b] = 0;
            if (b < wall && gv[a][b] < 0) gv[a][b] = 0;
          }
      }),
      gather: kernel([x, y, u, v, cxx, cxy, cyx, cyy, gu, gv], { float, scope }, gather),
      move: kernel([x, y, u, v], { float, scope }, (x, y, u, v) => {
        for (const p of active(x)) {
          x[p] += dt * u[p];
          y[p] += dt * v[p];
        }
      }),
    };
    return {
      layout: layout(
        dense(i, vertices).place(x, y, u, v, cxx, cxy, cyx, cyy),
        dense(i, 2 * cells).place(va, vb, vc),
        dense(ij, n).place(gu, gv, gm),
        dense(i, 1).place(energy),
      ),
      differentiate: [x, y, energy],
      kernels,
      start: (run) => {
        run.init();
        run.connect();
      },
      step: (run, { gradient }) =>
        times(STEPS, () => {
          const forward = (): void => {
            run.reset();
            run.sumEnergy();
          };
          run.clearMass();
          run.clearVelocity();
          gradient(forward, { loss: energy, wrt: { x, y } });
          run.scatter();
          run.obstacles();
          run.gather();
          run.move();
        }),
      reference: (steps) => fallingMesh(constants, steps),
    };
  },
};
