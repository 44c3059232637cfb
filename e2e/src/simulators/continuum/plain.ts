import {
  determinant,
  forNodes,
  identityPlus,
  multiply,
  part,
  rotationOf,
  transpose,
  type Matrix,
} from '../../fields/mpm/reference.js';
import { CONTINUUM, type ContinuumScene } from './scene.js';

/** How far along the first axis the middle of the robot gets: weights of the waves of each muscle, then biases. */
export const plainDistance = (scene: ContinuumScene, drive: Float64Array): number => {
  const { dim, muscles, steps, dt, robot } = scene;
  const { waves, omega } = CONTINUUM;
  const x = scene.x.slice();
  const v = x.map(() => 0);
  const C = new Float64Array(dim * x.length);
  const F = C.map((_, k) => ((k % (dim * dim)) % (dim + 1) === 0 ? 1 : 0));
  for (let t = 0; t < steps; t++) {
    const pulls = Array.from({ length: muscles }, (_, m) => {
      let sum = drive[waves * muscles + m];
      for (let k = 0; k < waves; k++)
        sum += drive[waves * m + k] * Math.sin(omega * t * dt + (2 * Math.PI * k) / waves);
      return CONTINUUM.strength * Math.tanh(sum);
    });
    step(scene, { x, v, C, F }, pulls);
  }
  let sum = 0;
  for (let p = 0; p < robot; p++) sum += x[dim * p];
  return sum / robot;
};

type State = Readonly<Record<'x' | 'v' | 'C' | 'F', Float64Array>>;

const step = (scene: ContinuumScene, { x, v, C, F }: State, pulls: readonly number[]): void => {
  const { dim, n, dt, solid, muscle } = scene;
  const at = (axis: number): number => n ** (dim - 1 - axis);
  const mass = new Float64Array(n ** dim);
  const u = new Float64Array(dim * n ** dim);
  for (let p = 0; p < solid.length; p++) {
    const deformed = multiply(identityPlus(part(C, dim, p), dt), part(F, dim, p));
    const J = determinant(deformed);
    const flows = identityPlus(deformed, 0).map((row) => row.map((e) => e * J ** (1 / dim)));
    (solid[p] > 0 ? deformed : flows).forEach((row, i) => F.set(row, dim * dim * p + dim * i));
    const stress = stressOf(deformed, J, solid[p] > 0, muscle[p] < 0 ? 0 : pulls[muscle[p]]);
    const affine = part(C, dim, p).map((row, i) => row.map((c, j) => c - 4 * n * n * dt * stress[i][j]));
    forNodes(scene, x, p, at, (node, weight, away) => {
      mass[node] += weight;
      for (let i = 0; i < dim; i++)
        u[dim * node + i] += weight * (v[dim * p + i] + affine[i].reduce((sum, a, j) => sum + a * away[j], 0));
    });
  }
  for (let node = 0; node < mass.length; node++)
    if (mass[node] > 0) {
      const fallen = Array.from(u.subarray(dim * node, dim * node + dim), (m, i) =>
        i === 1 ? m / mass[node] - dt * CONTINUUM.gravity : m / mass[node],
      );
      u.set(free(scene, node, fallen), dim * node);
    }
  v.fill(0);
  C.fill(0);
  for (let p = 0; p < solid.length; p++) {
    forNodes(scene, x, p, at, (node, weight, away) => {
      for (let i = 0; i < dim; i++) {
        const moved = weight * u[dim * node + i];
        v[dim * p + i] += moved;
        for (let j = 0; j < dim; j++) C[dim * dim * p + dim * i + j] += 4 * n * n * moved * away[j];
      }
    });
    for (let i = 0; i < dim; i++) x[dim * p + i] += dt * v[dim * p + i];
  }
};

/** Stress times volume: fixed corotated, pulled along what was upright; of liquids pressure alone. */
const stressOf = (F: Matrix, J: number, solid: boolean, pull: number): Matrix => {
  const { mu, lambda, bulk } = CONTINUUM;
  const pressure = (solid ? lambda : bulk) * (J - 1) * J;
  if (!solid) return F.map((row, i) => row.map((_, j) => (i === j ? pressure : 0)));
  const R = rotationOf(F);
  const elastic = multiply(
    F.map((row, i) => row.map((f, j) => f - R[i][j])),
    transpose(F),
  );
  return elastic.map((row, i) => row.map((e, j) => 2 * mu * e + pull * F[i][1] * F[j][1] + (i === j ? pressure : 0)));
};

const free = ({ dim, n }: ContinuumScene, node: number, given: readonly number[]): readonly number[] => {
  const { wall, friction } = CONTINUUM;
  let w = given;
  for (let axis = 0; axis < dim; axis++) {
    const index = Math.floor(node / n ** (dim - 1 - axis)) % n;
    const into = index < wall ? w[axis] : index > n - wall ? -w[axis] : 1;
    if (into >= 0) continue;
    const speed = Math.hypot(...w.filter((_, a) => a !== axis)) + 1e-10;
    const kept = Math.max(0, 1 + (friction * into) / speed);
    w = w.map((c, a) => (a === axis ? 0 : c * kept));
  }
  return w;
};
