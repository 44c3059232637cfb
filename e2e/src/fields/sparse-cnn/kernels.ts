import { active, isActive, kernel, ndrange, range, unrolled } from '@filigree/lang/kernels';
import { dense, fields, ijk, ijkl, l, layout } from '@filigree/sparse/fields';
import type { Blocks } from '../layouts.js';
import { CHANNELS, type CnnSetup } from './setup.js';

/** The layer, and where its data lie: channels side by side in voxels, voxels in blocks with a bit for each. */
export const sparseCnn = ({ n }: CnnSetup, float: 'f32' | 'f64', blocks: Blocks) => {
  const { input, output, weights } = fields(float, ijkl, ['input', 'output', 'weights']);
  const voxels = blocks(ijk, n / 4).dense(ijk, 4);
  const [before, after] = [input, output].map((f) => dense(l, CHANNELS).place(f));
  const filter = dense(ijkl, [3, 3, 3, CHANNELS ** 2]).place(weights);
  const scope = { CHANNELS };
  const forward = kernel([input, output, weights], { float, scope }, (input, output, weights) => {
    for (const [i, j, k, d] of active(output)) {
      let sum = 0;
      for (const [a, b, c] of unrolled(ndrange(3, 3, 3)))
        if (isActive(input, i + a - 1, j + b - 1, k + c - 1, 0))
          for (const e of range(CHANNELS))
            sum += weights[a][b][c][CHANNELS * e + d] * input[i + a - 1][j + b - 1][k + c - 1][e];
      output[i][j][k][d] = sum;
    }
  });
  return {
    layout: layout(voxels.bitmasked().fork(before, after), filter),
    kernels: { forward },
    fields: { input, output, weights },
  };
};
