import { describe, expect, it } from 'vitest';
import { gradientError, type Evaluate } from '../src/index.js';

const x = Float64Array.from({ length: 20 }, (_, k) => Math.sin(k) + 2);
const cubes = (y: Float64Array): number => y.reduce((s, v) => s + v ** 3, 0);
const slopes = x.map((v) => 3 * v * v);
/* One entry that is off by a thousandth. */
const wrong = slopes.map((g, k) => (k === 7 ? 1.001 * g : g));

describe('gradients against differences', () => {
  it.each<[string, Evaluate]>([
    ['a smooth function', cubes],
    ['one that jumps close by', (y) => cubes(y) + (y[3] > x[3] + 2e-7 ? 1 : 0) + (y[5] < x[5] - 1e-6 ? 5 : 0)],
    ['one whose sum rounds', (y) => Array.from({ length: 20 }, (_, k) => y[k] ** 3 + (k % 2 === 0 ? 1e9 : -1e9) / 8)],
  ])('%s: a right one is found right, and a wrong one wrong', (_what, value) => {
    for (const seed of [1, 2, 3]) {
      expect(gradientError(value, slopes, x, 1e-5, seed)).toBeLessThan(1e-6);
      expect(gradientError(value, wrong, x, 1e-5, seed)).toBeGreaterThan(1e-5);
    }
  });

  it('one that rounds, at lengths that are too short, is told from rounding', () => {
    const rough = (y: Float64Array): number => Math.round(1e13 * cubes(y)) / 1e13;
    for (const seed of [1, 2, 3]) {
      expect(gradientError(rough, slopes, x, 1e-7, seed)).toBeLessThan(1e-6);
      expect(gradientError(rough, wrong, x, 1e-7, seed)).toBeGreaterThan(1e-5);
    }
  });

  it('a slope that is lost in the rounding of the value is right, and one that is not lost is not', () => {
    /* Values of about 3 are rounded by 4e-16, so that differences of 1e-5 are wrong by 1e-10. */
    const faint = (y: Float64Array): number => 3 + 1e-6 * cubes(y) + 4e-16 * Math.sin(1e9 * y[2]);
    const scaled = (by: number) => slopes.map((g) => by * 1e-6 * g);
    for (const seed of [1, 2, 3]) {
      expect(gradientError(faint, scaled(1), x, 1e-5, seed)).toBeLessThan(1e-6);
      expect(gradientError(faint, scaled(1.01), x, 1e-5, seed)).toBeGreaterThan(1e-6);
    }
  });

  it('what is no number is no right gradient', () => {
    expect(gradientError(cubes, slopes.map((g, k) => (k === 2 ? NaN : g)), x, 1e-4, 1)).not.toBeLessThan(1); // prettier-ignore
    /* A value on which nothing depends has no slope, and a gradient of zeros is right of no other. */
    expect(gradientError(() => 3, slopes.map(() => 0), x, 1e-4, 1)).toBe(0); // prettier-ignore
    expect(gradientError(cubes, slopes.map(() => 0), x, 1e-4, 1)).not.toBeLessThan(1); // prettier-ignore
    expect(gradientError(() => NaN, slopes, x, 1e-4, 1)).not.toBeLessThan(1);
  });
});
