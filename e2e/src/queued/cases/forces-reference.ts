import { filled } from '../case.js';
import { gathered, nodesAround } from './particle-transfer.js';

/** What the sheet of `autodiff-forces` is like. */
export interface MeshConstants {
  /** Nodes of the grid along a side of the unit square. */
  readonly n: number;
  /** Vertices along a side of the sheet, and how far apart they are. */
  readonly side: number;
  readonly spacing: number;
  readonly dt: number;
  readonly mass: number;
  readonly mu: number;
  readonly lambda: number;
  readonly gravity: number;
  /** Nodes on which nothing moves outwards. */
  readonly wall: number;
  readonly ball: { readonly x: number; readonly y: number; readonly radius: number };
}

/** Substeps of a step. */
export const STEPS = 10;

/** The same simulation by plain loops over doubles, with forces by hand: −area × stress × gradients of the shape functions. */
export const fallingMesh = (
  c: MeshConstants,
  steps: number,
): { readonly x: Float64Array; readonly y: Float64Array } => {
  const { n, side, spacing, dt, mass, ball } = c;
  const count = side * side;
  const x = filled(count, (p) => 0.4 + spacing * (p % side));
  const y = filled(count, (p) => 0.46 + spacing * Math.floor(p / side));
  const u = new Float64Array(count);
  const v = filled(count, () => -3);
  const C = new Float64Array(4 * count);
  for (let s = 0; s < steps * STEPS; s++) {
    const [fx, fy] = forces(c, x, y);
    const [gu, gv, gm] = [0, 1, 2].map(() => new Float64Array(n * n));
    for (let p = 0; p < count; p++)
      nodesAround(n, x[p], y[p], (node, w, dx, dy) => {
        gu[node] += w * (mass * (u[p] + C[4 * p] * dx + C[4 * p + 1] * dy) + dt * fx[p]);
        gv[node] += w * (mass * (v[p] + C[4 * p + 2] * dx + C[4 * p + 3] * dy) + dt * fy[p]);
        gm[node] += w * mass;
      });
    for (let node = 0; node < n * n; node++) {
      if (!(gm[node] > 0)) continue;
      const [a, b] = [Math.floor(node / n), node % n];
      gu[node] /= gm[node];
      gv[node] = gv[node] / gm[node] - dt * c.gravity;
      const [dx, dy] = [a / n - ball.x, b / n - ball.y];
      if (dx * dx + dy * dy < ball.radius ** 2 && gu[node] * dx + gv[node] * dy < 0) gu[node] = gv[node] = 0;
      if (a < c.wall) gu[node] = Math.max(gu[node], 0);
      if (a > n - c.wall) gu[node] = Math.min(gu[node], 0);
      if (b < c.wall) gv[node] = Math.max(gv[node], 0);
    }
    gathered(n, [x, y, u, v, C], [gu, gv]);
    for (let p = 0; p < count; p++) {
      x[p] += dt * u[p];
      y[p] += dt * v[p];
    }
  }
  return { x, y };
};

/** Forces on vertices: the stress of neo-Hookean triangles, μ (F − F⁻ᵀ) + λ log J F⁻ᵀ. */
const forces = (
  { side, spacing, mu, lambda }: MeshConstants,
  x: Float64Array,
  y: Float64Array,
): readonly [Float64Array, Float64Array] => {
  const [fx, fy] = [new Float64Array(x.length), new Float64Array(x.length)];
  const triangle = (o: number, p: number, q: number, size: number): void => {
    const F = [x[p] - x[o], x[q] - x[o], y[p] - y[o], y[q] - y[o]].map((d) => d / size);
    const J = F[0] * F[3] - F[1] * F[2];
    const cofactor = [F[3], -F[2], -F[1], F[0]];
    const stress = F.map((f, k) => mu * f + ((lambda * Math.log(J) - mu) * cofactor[k]) / J);
    const scale = (0.5 * spacing * spacing) / size;
    [p, q].forEach((vertex, k) => {
      fx[vertex] -= scale * stress[k];
      fy[vertex] -= scale * stress[2 + k];
      fx[o] += scale * stress[k];
      fy[o] += scale * stress[2 + k];
    });
  };
  for (let j = 0; j + 1 < side; j++)
    for (let i = 0; i + 1 < side; i++) {
      const at = side * j + i;
      triangle(at, at + 1, at + side, spacing);
      triangle(at + side + 1, at + side, at + 1, -spacing);
    }
  return [fx, fy];
};
