import { CHANNELS, type Cnn, type CnnSetup } from './setup.js';

/** The layer by its definition, neighbours found in a map. */
export const referenceCnn = (setup: CnnSetup): Cnn => ({
  forward: () => {
    const { voxels, features, weights } = setup;
    // Neighbours may lie one voxel outside the grid.
    const side = setup.n + 2;
    const key = (i: number, j: number, k: number): number => ((i + 1) * side + j + 1) * side + k + 1;
    const number = new Map<number, number>();
    for (let v = 0; v < voxels.length / 3; v++) number.set(key(voxels[3 * v], voxels[3 * v + 1], voxels[3 * v + 2]), v);
    const out = new Float64Array(features.length);
    for (let v = 0; v < voxels.length / 3; v++)
      for (let offset = 0; offset < 27; offset++) {
        const [di, dj, dk] = [Math.floor(offset / 9) - 1, (Math.floor(offset / 3) % 3) - 1, (offset % 3) - 1];
        const from = number.get(key(voxels[3 * v] + di, voxels[3 * v + 1] + dj, voxels[3 * v + 2] + dk));
        if (from === undefined) continue;
        for (let c = 0; c < CHANNELS; c++)
          for (let d = 0; d < CHANNELS; d++)
            out[CHANNELS * v + d] += weights[(offset * CHANNELS + c) * CHANNELS + d] * features[CHANNELS * from + c];
      }
    return out;
  },
});
