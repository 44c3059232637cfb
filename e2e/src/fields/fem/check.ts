import { randomNumbers } from '../../meshes/index.js';
import { lame } from '../mpm/mpm.js';
import { atMost, type Finding } from '../finding.js';
import { referenceFem, stressWork } from './reference.js';
import { boxSetup, type FemSetup, type MakeFem } from './setup.js';

export interface FemCheckOptions {
  /** Relative rounding that is let pass: about 1e-6 in f32, 1e-14 in f64. */
  readonly rounding: number;
}

/**
 * What mechanics says of the stiffness matrix, whatever it is computed by: it is symmetric; rigid motions cost nothing; a
 * displacement that is linear in space stores the energy ½ ε : σ per volume and leaves no force on inner nodes; it is the
 * matrix that assembly gives; and the solution under load is that of a direct solver.
 */
export const checkFem = async (make: MakeFem, { rounding }: FemCheckOptions): Promise<readonly Finding[]> => {
  const random = randomNumbers(3);
  // A box across the corners of blocks of 4 and of 8 cells.
  const [low, high] = [[5, 6, 4], [10, 9, 9]]; // prettier-ignore
  const uneven = boxSetup(16, low, high, (i, j, k) => 1 + ((7 * i + 3 * j + 5 * k) % 11) / 4);
  const even = boxSetup(16, low, high);
  return [
    ...(await checkMatrix(make, uneven, random, rounding)),
    ...(await checkRigid(make, uneven, rounding)),
    ...(await checkPatch(make, even, [low, high], rounding)),
    ...(await checkSolution(make, uneven, low[1], rounding)),
  ];
};

const checkMatrix = async (
  make: MakeFem,
  setup: FemSetup,
  random: () => number,
  rounding: number,
): Promise<readonly Finding[]> => {
  const fem = await make(setup);
  const noise = (): Float64Array => field(setup, () => [random() - 0.5, random() - 0.5, random() - 0.5]);
  const [u, v] = [noise(), noise()];
  const [Ku, Kv] = [await fem.multiply(u), await fem.multiply(v)];
  const expected = await referenceFem(setup).multiply(u);
  return [
    atMost('u · K v against v · K u', Math.abs(dot(u, Kv) - dot(v, Ku)) / (norm(u) * norm(Kv)), 10 * rounding),
    atMost(
      'product against the assembled matrix',
      norm(Ku.map((x, k) => x - expected[k])) / norm(expected),
      10 * rounding,
    ),
  ];
};

const checkRigid = async (make: MakeFem, setup: FemSetup, rounding: number): Promise<readonly Finding[]> => {
  const fem = await make(setup);
  const translation = field(setup, () => [1, -2, 0.5]);
  const rotation = field(setup, (x, y, z) => [2 * z - y, x - 3 * z, 3 * y - 2 * x]);
  const forces = async (u: Float64Array): Promise<number> => norm(await fem.multiply(u)) / norm(u);
  return [
    atMost('forces of a translation', await forces(translation), 100 * rounding),
    atMost('forces of a small rotation', await forces(rotation), 100 * rounding),
  ];
};

const checkPatch = async (
  make: MakeFem,
  setup: FemSetup,
  [low, high]: readonly (readonly number[])[],
  rounding: number,
): Promise<readonly Finding[]> => {
  const G = [[0.3, -0.1, 0.2], [0.4, -0.2, 0.1], [-0.3, 0.5, 0.25]]; // prettier-ignore
  const strain = G.map((row, u) => row.map((g, v) => (g + G[v][u]) / 2));
  const u = field(setup, (...x) => G.map((row) => row.reduce((sum, g, axis) => sum + g * x[axis], 0)));
  const Ku = await (await make(setup)).multiply(u);
  const volume = low.reduce((product, from, axis) => product * (high[axis] - from), 1);
  const { lambda, mu } = lame(1, 0.3);
  const energy = volume * stressWork(strain, strain, lambda, mu);
  const inner = field(setup, (...x) => (x.every((c, axis) => c > low[axis] && c < high[axis]) ? [1, 1, 1] : [0, 0, 0]));
  return [
    atMost('energy of a linear displacement', Math.abs(dot(u, Ku) / energy - 1), 100 * rounding),
    atMost('its forces on inner nodes', norm(Ku.map((x, k) => x * inner[k])) / norm(Ku), 100 * rounding),
  ];
};

const checkSolution = async (
  make: MakeFem,
  box: FemSetup,
  floor: number,
  rounding: number,
): Promise<readonly Finding[]> => {
  const { n } = box;
  const free = box.free.map((f, node) => (Math.floor(node / n) % n === floor ? 0 : f));
  const load = Float64Array.from(
    box.load,
    (_, k) => (k % 3 === 1 ? -1e-3 : k % 3 === 2 ? 5e-4 : 0) * free[Math.floor(k / 3)],
  );
  const setup = { ...box, free, load, tolerance: 1e-5 };
  const { u, norms } = await (await make(setup)).solve();
  const exact = await referenceFem(setup).solve();
  return [
    atMost(
      'solution against that of a direct solver',
      norm(u.map((x, k) => x - exact.u[k])) / norm(exact.u),
      1e-4 + 100 * rounding,
    ),
    atMost('residual at the end', norms[norms.length - 1] / norms[0], 1e-5),
  ];
};

/** A vector at each node that may move. */
const field = ({ n, free }: FemSetup, at: (x: number, y: number, z: number) => readonly number[]): Float64Array => {
  const u = new Float64Array(3 * n ** 3);
  free.forEach((f, node) => {
    if (f === 1) u.set(at(Math.floor(node / n ** 2), Math.floor(node / n) % n, node % n), 3 * node);
  });
  return u;
};

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, k) => sum + x * b[k], 0);
const norm = (a: Float64Array): number => Math.sqrt(dot(a, a));
