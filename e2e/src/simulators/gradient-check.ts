import { randomNumbers } from '../meshes/random.js';

/**
 * How far a gradient at `x` is from central differences of fourth order of length `h` along random directions, relative to the slope
 * that a direction of its length has on average, or to its own where that is larger.
 */
export const gradientError = (
  value: (x: Float64Array) => number,
  gradient: Float64Array,
  x: Float64Array,
  h: number,
  seed: number,
): number => {
  const random = randomNumbers(seed);
  const steepness = Math.sqrt(gradient.reduce((s, g) => s + g * g, 0));
  let worst = 0;
  for (let sample = 0; sample < DIRECTIONS; sample++) {
    const d = x.map(() => 2 * random() - 1);
    const at = (t: number): number => value(x.map((v, n) => v + t * d[n]));
    const slope = d.reduce((s, v, n) => s + v * gradient[n], 0);
    const difference = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    const error = Math.abs(slope - difference) / Math.max(Math.abs(slope), steepness / Math.sqrt(3));
    if (!(error <= worst)) worst = error;
  }
  return worst;
};

const DIRECTIONS = 4;
