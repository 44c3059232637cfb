import { atMost, type Finding } from '../finding.js';
import type { MakeMpm, MpmSetup, MpmState } from './mpm.js';
import { elasticEnergy, part } from './reference.js';

export interface MpmCheckOptions {
  /** A body that falls; nothing may reach a wall within `fallSteps`. */
  readonly falling: MpmSetup;
  readonly fallSteps: number;
  /** A body in free flight without gravity, for `flightSteps`. */
  readonly flying: MpmSetup;
  readonly flightSteps: number;
  /** Relative rounding that is let pass: about 1e-5 in f32, 1e-11 in f64. */
  readonly rounding: number;
}

/**
 * What physics says of a simulation, whatever it is computed by. In free fall the momentum grows by exactly mass · gravity · time and
 * the centre of mass falls as g t²/2. In free flight momentum and angular momentum (that of the affine velocities
 * included) stay as they are. The energy of a moving elastic body does not rise, and little of it is lost.
 */
export const checkMpm = async (make: MakeMpm, options: MpmCheckOptions): Promise<readonly Finding[]> => [
  ...(await freeFall(make, options)),
  ...(await freeFlight(make, options)),
];

const freeFall = async (
  make: MakeMpm,
  { falling, fallSteps, rounding }: MpmCheckOptions,
): Promise<readonly Finding[]> => {
  const mpm = await make(falling);
  await mpm.step(fallSteps);
  const end = await mpm.state();
  const before = totals(falling, falling.start);
  const after = totals(falling, end);
  const time = fallSteps * falling.dt;
  const speed = falling.gravity * time;
  const fallen = before.centre[1] - after.centre[1] + (time * before.momentum[1]) / before.mass;
  // The first velocity is that after the first step: the sum over the steps is n (n + 1) / 2 instead of n² / 2.
  const expected = ((falling.gravity * time * time) / 2) * (1 + 1 / fallSteps);
  return [
    atMost(
      'free fall: momentum gained against mass · g · t',
      Math.abs((before.momentum[1] - after.momentum[1]) / (before.mass * speed) - 1),
      100 * rounding,
    ),
    atMost(
      'free fall: momentum across it',
      Math.abs(after.momentum[0] - before.momentum[0]) / (before.mass * speed),
      100 * rounding,
    ),
    // Positions are of order one, so their rounding is weighed against what the body fell.
    atMost('free fall: distance against g t²/2', Math.abs(fallen / expected - 1), rounding * (1 + 1 / expected)),
  ];
};

const freeFlight = async (
  make: MakeMpm,
  { flying, flightSteps, rounding }: MpmCheckOptions,
): Promise<readonly Finding[]> => {
  const mpm = await make(flying);
  const start = totals(flying, flying.start);
  const scale = flying.start.v.reduce((sum, v) => sum + flying.mass * Math.abs(v), 0);
  let last = start;
  let rise = 0;
  for (let k = 0; k < 10; k++) {
    await mpm.step(Math.ceil(flightSteps / 10));
    const now = totals(flying, await mpm.state());
    rise = Math.max(rise, (now.energy - last.energy) / start.energy);
    last = now;
  }
  const change = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((x, i) => Math.abs(x - b[i]))) / scale;
  return [
    atMost('free flight: change of momentum', change(last.momentum, start.momentum), 100 * rounding),
    atMost('free flight: change of angular momentum', change(last.angular, start.angular), 100 * rounding),
    atMost('free flight: energy gained in a tenth of the time', rise, 0.01),
    atMost('free flight: energy lost', 1 - last.energy / start.energy, 0.15),
  ];
};

/** Sums over all particles. */
export interface MpmTotals {
  readonly mass: number;
  readonly centre: readonly number[];
  readonly momentum: readonly number[];
  /** About the origin: one number in the plane, three in space. */
  readonly angular: readonly number[];
  /** Kinetic (that of the affine velocities included), elastic, and of height. */
  readonly energy: number;
}

/** Mass, momenta and energy of a state. */
export const totals = (setup: MpmSetup, { x, v, C, F }: MpmState): MpmTotals => {
  const { dim, n, mass } = setup;
  const count = x.length / dim;
  const centre = new Array<number>(dim).fill(0);
  const momentum = new Array<number>(dim).fill(0);
  const planes = dim === 2 ? [[0, 1]] : [[1, 2], [2, 0], [0, 1]]; // prettier-ignore
  const angular = planes.map(() => 0);
  // The moment of inertia of a quadratic B-spline is dx²/4 along every axis.
  const inertia = 1 / (4 * n * n);
  let energy = 0;
  for (let p = 0; p < count; p++) {
    const X = x.subarray(dim * p, dim * p + dim);
    const V = v.subarray(dim * p, dim * p + dim);
    const A = part(C, dim, p);
    for (let i = 0; i < dim; i++) {
      centre[i] += X[i] / count;
      momentum[i] += mass * V[i];
      energy += 0.5 * mass * (V[i] * V[i] + inertia * A[i].reduce((sum, c) => sum + c * c, 0));
    }
    planes.forEach(([i, j], axis) => {
      angular[axis] += mass * (X[i] * V[j] - X[j] * V[i] + inertia * (A[j][i] - A[i][j]));
    });
    energy += setup.volume * elasticEnergy(setup, part(F, dim, p)) + mass * setup.gravity * X[1];
  }
  return { mass: mass * count, centre, momentum, angular, energy };
};

/** Largest distance of corresponding particles in two states, in nodes of the grid. */
export const farthestApart = ({ dim, n }: MpmSetup, a: MpmState, b: MpmState): number => {
  let farthest = 0;
  for (let p = 0; p < a.x.length; p += dim) {
    let squared = 0;
    for (let i = 0; i < dim; i++) squared += (a.x[p + i] - b.x[p + i]) ** 2;
    if (!(squared <= farthest)) farthest = squared;
  }
  return Math.sqrt(farthest) * n;
};
