import { diverging, imageOf, type Image } from '../../draw/index.js';
import type { PoissonSetup } from './setup.js';

/** The solution in the plane i = n / 3, blue below zero and red above. */
export const poissonPicture = ({ n }: PoissonSetup, x: Float64Array, size = 512): Image => {
  const plane = x.subarray(Math.floor(n / 3) * n * n, (Math.floor(n / 3) + 1) * n * n);
  const largest = plane.reduce((most, u) => Math.max(most, Math.abs(u)), Number.MIN_VALUE);
  return imageOf(size, size, (column, row) => {
    const [j, k] = [n - 1 - Math.floor((row * n) / size), Math.floor((column * n) / size)];
    return diverging(plane[j * n + k] / largest);
  });
};
