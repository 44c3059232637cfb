import { WAVES, type Robot } from './robots.js';

/** What is simulated. */
export interface MassSpringScene extends Robot {
  readonly dt: number;
  readonly gravity: number;
  readonly ground: number;
  readonly omega: number;
  /** Share of the velocity that a step keeps. */
  readonly kept: number;
  /** Where the robot is to run. */
  readonly goal: number;
  readonly steps: number;
  readonly hidden: number;
  readonly inputs: number;
}

/** How far to the right the first point of a robot gets, with the weights and biases of both layers of its network. */
export const plainDistance = (scene: MassSpringScene, weights: Float64Array): number => {
  const { FROM, TO, rest, stiffness, reach, dt, gravity, ground, kept, steps, hidden, inputs } = scene;
  const second = hidden * inputs;
  const biases = second + FROM.length * hidden;
  const x = scene.points.slice();
  const v = x.map(() => 0);
  for (let t = 0; t < steps; t++) {
    const seen = sensed(scene, x, v, t);
    const h = Array.from({ length: hidden }, (_, k) =>
      Math.tanh(seen.reduce((s, value, n) => s + value * weights[inputs * k + n], weights[biases + k])),
    );
    const impulse = x.map(() => 0);
    FROM.forEach((from, s) => {
      const bias = weights[biases + hidden + s];
      const act = Math.tanh(h.reduce((sum, value, k) => sum + value * weights[second + hidden * s + k], bias));
      const [a, b] = [2 * from, 2 * TO[s]];
      const [dx, dy] = [x[a] - x[b], x[a + 1] - x[b + 1]];
      const length = Math.sqrt(dx * dx + dy * dy) + 1e-4;
      const pull = (dt * stiffness[s] * (length - rest[s] * (1 + act * reach[s]))) / length;
      impulse[a] -= pull * dx;
      impulse[a + 1] -= pull * dy;
      impulse[b] += pull * dx;
      impulse[b + 1] += pull * dy;
    });
    for (let p = 0; p < x.length; p += 2) {
      v[p] = kept * v[p] + impulse[p];
      v[p + 1] = kept * v[p + 1] + dt * gravity + impulse[p + 1];
      if (x[p + 1] + dt * v[p + 1] < ground && v[p + 1] < -1e-4) {
        /* It stays where it hits. */
        x[p] += ((ground - x[p + 1]) / v[p + 1]) * v[p];
        x[p + 1] = ground;
        v[p] = v[p + 1] = 0;
      } else {
        x[p] += dt * v[p];
        x[p + 1] += dt * v[p + 1];
      }
    }
  }
  return x[0];
};

/** What a network is told: the time as waves, how the robot is bent and moves, and what is left to the goal. */
const sensed = (
  { dt, omega, goal, ground }: MassSpringScene,
  x: readonly number[],
  v: readonly number[],
  t: number,
): readonly number[] => {
  const points = x.length / 2;
  const [mx, my] = [0, 1].map((c) => x.reduce((s, value, k) => (k % 2 === c ? s + value : s), 0) / points);
  const waves = Array.from({ length: WAVES }, (_, n) => Math.sin(omega * t * dt + (2 * Math.PI * n) / WAVES));
  const bent = Array.from({ length: points }, (_, p) => [
    x[2 * p] - mx,
    x[2 * p + 1] - my,
    0.05 * v[2 * p],
    0.05 * v[2 * p + 1],
  ]);
  return [...waves, ...bent.flat(), goal - mx, ground - my];
};
