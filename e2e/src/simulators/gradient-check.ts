import { randomNumbers } from '../meshes/random.js';

/** A number, or the terms whose sum it is: a sum of a million rounds by more than it changes, so differences are taken term by term. */
export type Evaluate = (x: Float64Array) => number | ArrayLike<number>;

/**
 * How far a gradient at `x` is from central differences of fourth order along random directions, relative to the slope that a direction of its length has on
 * average, or to its own where that is larger.
 *
 * No length of differences is right everywhere: between collisions the long ones see other branches than the point lies on, and the short ones round. So those of
 * several lengths about `h` are compared with each other, and three neighbours that agree best tell the slope, whatever the gradient says: two agree by chance.
 */
export const gradientError = (
  value: Evaluate,
  gradient: Float64Array,
  x: Float64Array,
  h: number,
  seed: number,
): number => {
  const random = randomNumbers(seed);
  const steepness = Math.sqrt(gradient.reduce((s, g) => s + g * g, 0)) / Math.sqrt(3);
  let worst = 0;
  for (let sample = 0; sample < DIRECTIONS; sample++) {
    const d = x.map(() => 2 * random() - 1);
    const slope = d.reduce((s, v, n) => s + v * gradient[n], 0);
    const scale = Math.max(Math.abs(slope), steepness);
    const { slope: difference, rounding } = slopeAlong((t) => value(x.map((v, n) => v + t * d[n])), h, ALIKE * scale);
    /* Both are zero where nothing that is computed depends on what is changed. Where hardly anything does, a difference is what values are rounded by, which is not to be taken for an error. */
    const error = slope === difference ? 0 : Math.abs(slope - difference) / Math.max(scale, rounding / TOLD);
    if (!(error <= worst)) worst = error;
  }
  return worst;
};

/** The slope of a function at 0 by differences of lengths about `h`, and what of it may be rounding; no others are tried when three are as close as `alike`. */
const slopeAlong = (
  at: (t: number) => number | ArrayLike<number>,
  h: number,
  alike: number,
): { readonly slope: number; readonly rounding: number } => {
  /* Each length is twice the one before, so that what one needs at two lengths is what the next needs at one. */
  const pair = once((power) => [h * 2 ** power, -h * 2 ** power].map(at));
  const ofLength = once((power) => difference([...pair(power), ...pair(power + 1)], h * 2 ** power));
  let best = { apart: Infinity, slope: NaN, length: h };
  for (const power of LENGTHS) {
    const three = [power + 1, power, power - 1].map(ofLength);
    const apart = Math.max(...three) - Math.min(...three);
    if (apart < best.apart) best = { apart, slope: three[1], length: h * 2 ** power };
    if (best.apart <= alike) break;
  }
  const size = Math.max(...pair(0).map((v) => (typeof v === 'number' ? Math.abs(v) : 0)));
  return { slope: best.slope, rounding: (ROUNDING * Number.EPSILON * size) / best.length };
};

/** A function that is evaluated once for each argument. */
const once = <A>(f: (power: number) => A): ((power: number) => A) => {
  const known = new Map<number, A>();
  return (power) => {
    if (!known.has(power)) known.set(power, f(power));
    return known.get(power)!;
  };
};

/** The central difference of fourth order, by what is at `h`, `-h`, `2h` and `-2h`. */
const difference = ([a, b, c, e]: readonly (number | ArrayLike<number>)[], h: number): number => {
  if (typeof a === 'number') return (8 * (a - (b as number)) - ((c as number) - (e as number))) / (12 * h);
  const [p, q, r, s] = [a, b, c, e] as ArrayLike<number>[];
  let sum = 0;
  for (let k = 0; k < p.length; k++) sum += 8 * (p[k] - q[k]) - (r[k] - s[k]);
  return sum / (12 * h);
};

const DIRECTIONS = 4;
const LENGTHS = [0, 2, -2, 4, -4, 6, -6, 8, -8, 10, -10];
const ALIKE = 1e-7;
/** What a difference of values that are wrong in their last four bits may be off by, in their last bit; and the error that it is told as. */
const [ROUNDING, TOLD] = [24, 1e-6];
