import { diverging, spheresImage, type Image } from '../../draw/index.js';
import { CHANNELS, type CnnSetup } from './setup.js';

/** The voxels, coloured by the first channel of what the layer made of them. */
export const cnnPicture = ({ n, voxels }: CnnSetup, out: Float64Array, size = 512): Image => {
  const scale = 3 * Math.sqrt(out.reduce((sum, x) => sum + x * x, 0) / Math.max(1, out.length));
  return spheresImage(
    {
      centres: Float64Array.from(voxels, (c) => (c + 0.5) / n),
      radius: 0.75 / n,
      colour: (v) => diverging(out[CHANNELS * v] / scale),
    },
    { size, turn: 0.6, tilt: 0.25 },
  );
};
