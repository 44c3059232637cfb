import { randomNumbers } from '../../meshes/index.js';
import { atMost, type Finding } from '../finding.js';
import { residualNorm } from './reference.js';
import { eigenProblem, poissonSetup, type MakePoisson } from './setup.js';

export interface PoissonCheckOptions {
  /** Cells along each axis of the problems. Default 32. */
  readonly n?: number;
  /** Relative rounding that is let pass: about 1e-6 in f32, 1e-14 in f64. */
  readonly rounding: number;
}

/**
 * What mathematics says of the solver, whatever it is computed by: it finds an exact solution of the discrete equation; the
 * residual it reports is that of its solution; the residual falls by 10⁶ in a dozen iterations; one V-cycle is a symmetric
 * operator, and on the cube reduces the error by a factor that does not depend on the right-hand side.
 */
export const checkPoisson = async (
  make: MakePoisson,
  { n = 32, rounding }: PoissonCheckOptions,
): Promise<readonly Finding[]> => {
  const { setup, solution } = eigenProblem(n);
  const { x, norms } = await (await make(setup)).solve();
  const start = norms[0];
  // The norm of a residual cannot be had more exactly than |A| |x| rounding; |A| is 12.
  const floor = (12 * rounding * norm(x)) / start;
  const smooth = await (await make(poissonSetup({ n }))).solve();
  const iterations = smooth.norms.findIndex((r) => r <= 1e-6 * smooth.norms[0]);
  return [
    atMost('error against the exact discrete solution', difference(x, solution), 10 * (setup.tolerance + floor)),
    atMost(
      'residual reported against that of the solution',
      Math.abs(residualNorm(setup, x) - norms[norms.length - 1]) / start,
      rounding + floor,
    ),
    atMost('iterations that reduce the residual by a million', iterations < 0 ? Infinity : iterations, 12),
    ...(await checkCycle(make, n, rounding)),
  ];
};

const checkCycle = async (make: MakePoisson, n: number, rounding: number): Promise<readonly Finding[]> => {
  const random = randomNumbers(7);
  const noise = (): Float64Array => Float64Array.from({ length: n ** 3 }, () => random() - 0.5);
  const setup = poissonSetup({ n });
  const [a, b] = [noise(), noise()];
  const cycle = async (rhs: Float64Array): Promise<Float64Array> => (await make({ ...setup, b: rhs })).iterate(1);
  const [Va, Vb] = [await cycle(a), await cycle(b)];
  const [left, right] = [dot(Va, b), dot(a, Vb)];
  const solver = await make({ ...setup, b: a });
  const [second, fourth] = [await solver.iterate(2), await solver.iterate(4)];
  const factor = Math.sqrt(residualNorm({ ...setup, b: a }, fourth) / residualNorm({ ...setup, b: a }, second));
  return [
    atMost('a · V b against V a · b', Math.abs(left - right) / (norm(Va) * norm(b)), 10 * rounding),
    atMost('convergence factor of a V-cycle', factor, 0.55),
  ];
};

/** Largest difference, relative to the largest expected value. */
const difference = (found: Float64Array, expected: Float64Array): number => {
  let most = 0;
  let scale = 0;
  for (let at = 0; at < expected.length; at++) {
    const d = Math.abs(found[at] - expected[at]);
    if (!(d <= most)) most = d;
    scale = Math.max(scale, Math.abs(expected[at]));
  }
  return most / scale;
};

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, x, at) => sum + x * b[at], 0);
const norm = (a: Float64Array): number => Math.sqrt(dot(a, a));
