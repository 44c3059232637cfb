import { kernel, mat, range } from '@filigree/lang/kernels';
import { fixed, packed } from '@filigree/quant';
import { fields, i } from '@filigree/sparse/fields';
import type { QuantLoop } from './quant-loop.js';

const bound = 4.1;

/** A matrix of 3 × 3 for each element, multiplied by one that is the same for all. */
export const matmulLoop: QuantLoop = {
  name: 'quant-matmul',
  source: 'matmul.ts',
  shows: 'small matrices are multiplied by a fixed one: 3 × 3 fixed-point numbers',
  published: 2 ** 25,
  of: (n) => {
    const { F } = fields('f32', i, { F: [3, 3] });
    const all = [F] as const;
    /* Half a step, once carried through the product, and half a step of the result. */
    const most = (0.65 + 0.5 + 0.01) * (bound / 2 ** 15);
    const scope = { n, mat, range, most };
    return {
      fields: { F },
      off: [F],
      on: packed(32, fixed(16, bound), F),
      fill: kernel(all, { scope }, (F) => {
        for (const p of range(n)) {
          const a = (p & 255) / 100 - 1.2;
          const b = (p & 7) / 9;
          F[p] = mat([a, b, 0.3], [-b, 1, a], [0.1, -a, b]);
        }
      }),
      loop: kernel(all, { scope }, (F) => {
        const M = mat([1.1, 0.1, 0.1], [0.1, 1.1, 0.1], [0.1, 0.1, 1.1]);
        for (const p of range(n)) F[p] = M.mul(F[p]);
      }),
      wrong: kernel(all, { scope }, (F) => {
        let wrong = 0;
        for (const p of range(n)) {
          const a = (p & 255) / 100 - 1.2;
          const b = (p & 7) / 9;
          const [s, t, u] = [(a - b + 0.1) / 10, (b + 1 - a) / 10, (0.3 + a + b) / 10];
          const expected = mat([a + s, b + t, 0.3 + u], [s - b, 1 + t, a + u], [0.1 + s, t - a, b + u]);
          if (F[p].sub(expected).abs().greatest() > most) wrong += 1;
        }
        return wrong;
      }),
    };
  },
};
