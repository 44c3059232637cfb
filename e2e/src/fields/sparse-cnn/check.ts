import { atMost, type Finding } from '../finding.js';
import { referenceCnn } from './reference.js';
import { CHANNELS, withRandomNumbers, type CnnSetup, type MakeCnn } from './setup.js';

export interface CnnCheckOptions {
  /** What the layer is compared on with the direct convolution. */
  readonly setup: CnnSetup;
  /** Relative rounding that is let pass: about 1e-6 in f32, 1e-14 in f64. */
  readonly rounding: number;
}

/**
 * What the definition says of a convolution, whatever it is computed by: it equals the direct sum; the answer to one voxel
 * is the weights, mirrored; and it does not depend on where in space the voxels are.
 */
export const checkCnn = async (make: MakeCnn, { setup, rounding }: CnnCheckOptions): Promise<readonly Finding[]> => {
  const run = async (s: CnnSetup): Promise<Float64Array> => (await make(s)).forward();
  const found = await run(setup);
  const moved = shifted(setup, [5, 6, 7]);
  return [
    atMost('largest error against the direct sum', error(found, await referenceCnn(setup).forward()), 100 * rounding),
    atMost('change when all voxels are moved', error(await run(moved), found), 100 * rounding),
    atMost('answer to one voxel against the weights', await impulseError(run), rounding),
  ];
};

/** The same voxels a whole number of cells further, in a larger grid. */
const shifted = (setup: CnnSetup, by: readonly number[]): CnnSetup => ({
  ...setup,
  n: setup.n + 16,
  voxels: setup.voxels.map((c, k) => c + by[k % 3]),
});

/** Only the middle one of 27 voxels is not zero. */
const impulseError = async (run: (setup: CnnSetup) => Promise<Float64Array>): Promise<number> => {
  const voxels = Int32Array.from(
    { length: 81 },
    (_, k) => 7 + (Math.floor(Math.floor(k / 3) / 3 ** (2 - (k % 3))) % 3),
  );
  const setup = withRandomNumbers(16, voxels);
  const channel = 3;
  const features = new Float64Array(27 * CHANNELS);
  features[13 * CHANNELS + channel] = 1;
  const out = await run({ ...setup, features });
  // Voxel v sees the middle one at the offset from v to it.
  const expected = out.map((_, k) => {
    const offset = 26 - Math.floor(k / CHANNELS);
    return setup.weights[(offset * CHANNELS + channel) * CHANNELS + (k % CHANNELS)];
  });
  return error(out, expected);
};

/** Largest difference, relative to the largest expected value. */
const error = (found: Float64Array, expected: Float64Array): number => {
  let most = 0;
  let scale = 0;
  for (let at = 0; at < expected.length; at++) {
    const difference = Math.abs(found[at] - expected[at]);
    if (!(difference <= most)) most = difference;
    scale = Math.max(scale, Math.abs(expected[at]));
  }
  return most / scale;
};
