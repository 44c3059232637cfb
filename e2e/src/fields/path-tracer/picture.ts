import { imageOf, type Image } from '../../draw/index.js';
import type { View } from './setup.js';

/** Radiance as the eye would have it: bright parts compressed, a little warm where it is bright and cool where it is dark. */
export const pathTracerPicture = ({ width, height }: View, radiance: Float64Array): Image =>
  imageOf(width, height, (x, y) => {
    const shown = 1 - Math.exp(-2 * radiance[y * width + x]);
    const tone = (warmth: number): number => 255 * Math.min(1, shown * warmth) ** (1 / 2.2);
    return [tone(0.9 + 0.15 * shown), tone(0.97), tone(1.15 - 0.25 * shown)];
  });
