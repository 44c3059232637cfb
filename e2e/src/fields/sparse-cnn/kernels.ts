import { active, isActive, kernel, range, unrolled, ndrange, type Grid4 } from '@filigree/lang';
import { dense, field, ijk, l, layout } from '@filigree/sparse';
import type { Blocks } from '../layouts.js';
import { CHANNELS, type CnnSetup } from './setup.js';

/** The layer, and where its data lie: channels side by side in voxels, voxels in blocks with a bit for each. */
export const sparseCnn = ({ n }: CnnSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const [input, output, weights] = ['input', 'output', 'weights'].map((name) => field(name, float));
  const channels = (f: typeof input) => dense(l, CHANNELS).place(f);
  const voxels = blocks(ijk, n / 4)
    .dense(ijk, 4)
    .bitmasked();

  const forward = kernel(
    [input, output, weights],
    (input: Grid4, output: Grid4, weights: Grid4) => {
      for (const [i, j, k, d] of active(output)) {
        let sum = 0;
        for (const [a, b, c] of unrolled(ndrange(3, 3, 3)))
          if (isActive(input, i + a - 1, j + b - 1, k + c - 1, 0))
            for (const e of range(CHANNELS))
              sum += weights[a][b][c][CHANNELS * e + d] * input[i + a - 1][j + b - 1][k + c - 1][e];
        output[i][j][k][d] = sum;
      }
    },
    { float, scope: { CHANNELS } },
  );
  const grid = layout(
    voxels.fork(channels(input), channels(output)),
    dense(ijk, 3)
      .dense(l, CHANNELS * CHANNELS)
      .place(weights),
  );
  return { layout: grid, kernels: { forward }, fields: { input, output, weights } };
};
