import { imageOf, type Image } from '../../draw/index.js';
import type { SmokeSetup } from './setup.js';

/** The dye on white, as what it takes of the light; in space seen along the last axis. */
export const smokePicture = ({ dim, n }: SmokeSetup, dye: Float64Array, size = 256): Image => {
  const zoom = Math.max(1, Math.floor(size / n));
  const depth = dim === 3 ? n : 1;
  const seen = Float64Array.from({ length: 3 * n * n }, (_, at) => {
    const [cell, colour] = [Math.floor(at / 3), at % 3];
    let sum = 0;
    for (let k = 0; k < depth; k++) sum += dye[3 * (cell * depth + k) + colour];
    return dim === 3 ? (8 * sum) / n : sum;
  });
  return imageOf(n * zoom, n * zoom, (px, py) => {
    const at = 3 * (Math.floor(px / zoom) * n + (n - 1 - Math.floor(py / zoom)));
    const [r, g, b] = seen.subarray(at, at + 3);
    return [255 * Math.exp(-(g + b)), 255 * Math.exp(-(r + b)), 255 * Math.exp(-(r + g))];
  });
};
