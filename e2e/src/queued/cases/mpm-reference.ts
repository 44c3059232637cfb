import { filled } from '../case.js';
import { gathered, nodesAround } from './particle-transfer.js';

/** What the fluid of `mpm-split` is like. */
export interface MpmConstants {
  /** Nodes along a side of the unit square. */
  readonly n: number;
  readonly particles: number;
  readonly dt: number;
  readonly mass: number;
  readonly volume: number;
  readonly stiffness: number;
  readonly gravity: number;
  /** Nodes on which nothing moves outwards. */
  readonly wall: number;
}

/** Substeps of a step. */
export const STEPS = 10;

/** The same simulation by plain loops over doubles, particle by particle. */
export const splitMpm = (
  c: MpmConstants,
  steps: number,
): { readonly x: Float64Array; readonly y: Float64Array; readonly J: Float64Array } => {
  const { n, particles, dt, mass, gravity, wall } = c;
  const zeros = (count: number): Float64Array => new Float64Array(count);
  const x = filled(particles, (p) => 0.2 + (0.4 * ((p * 7919) % particles)) / particles);
  const y = filled(particles, (p) => 0.1 + (0.4 * p) / particles);
  const [u, v, J] = [zeros(particles), filled(particles, () => -1), filled(particles, () => 1)];
  const C = zeros(4 * particles);
  for (let s = 0; s < steps * STEPS; s++) {
    const [gu, gv, gm] = [zeros(n * n), zeros(n * n), zeros(n * n)];
    for (let p = 0; p < particles; p++) {
      const stress = -dt * 4 * c.stiffness * c.volume * (J[p] - 1) * n * n;
      nodesAround(n, x[p], y[p], (node, w, dx, dy) => {
        gu[node] += w * (mass * (u[p] + C[4 * p] * dx + C[4 * p + 1] * dy) + stress * dx);
        gv[node] += w * (mass * (v[p] + C[4 * p + 2] * dx + C[4 * p + 3] * dy) + stress * dy);
        gm[node] += w * mass;
      });
    }
    for (let a = 0; a < n; a++)
      for (let b = 0; b < n; b++) {
        const node = a * n + b;
        if (gm[node] > 0) {
          gu[node] /= gm[node];
          gv[node] /= gm[node];
        }
        gv[node] -= dt * gravity;
        if (a < wall) gu[node] = Math.max(gu[node], 0);
        if (a > n - wall) gu[node] = Math.min(gu[node], 0);
        if (b < wall) gv[node] = Math.max(gv[node], 0);
        if (b > n - wall) gv[node] = Math.min(gv[node], 0);
      }
    gathered(n, [x, y, u, v, C], [gu, gv]);
    for (let p = 0; p < particles; p++) {
      x[p] += dt * u[p];
      y[p] += dt * v[p];
      J[p] *= 1 + dt * (C[4 * p] + C[4 * p + 3]);
    }
  }
  return { x, y, J };
};
