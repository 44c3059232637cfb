import { kernel, range } from '@filigree/lang/kernels';
import { fixed, packed } from '@filigree/quant';
import { fields, i } from '@filigree/sparse/fields';
import type { QuantLoop } from './quant-loop.js';

/** A multiple of one vector is added to another: of each word one field is read, and the other one stored. */
export const saxpyLoop: QuantLoop = {
  name: 'quant-saxpy',
  source: 'saxpy.ts',
  shows: 'a multiple of one vector is added to another: fixed-point numbers of 16 bits',
  published: 2 ** 28,
  of: (n) => {
    const { x, y } = fields('f32', i, ['x', 'y']);
    const all = [x, y] as const;
    const a = 0.75;
    /* Half a step of y, before and after. */
    const most = 1.01 / 2 ** 15;
    const scope = { n, a, range, most };
    return {
      fields: { x, y },
      off: [x, y],
      on: packed(32, fixed(16, 1), x, y),
      fill: kernel(all, { scope }, (x, y) => {
        for (const p of range(n)) {
          x[p] = (p & 1023) / 2048 - 0.25;
          y[p] = 0.3 - (p & 63) / 100;
        }
      }),
      loop: kernel(all, { scope }, (x, y) => {
        for (const p of range(n)) y[p] = a * x[p] + y[p];
      }),
      wrong: kernel(all, { scope }, (x, y) => {
        let wrong = 0;
        for (const p of range(n)) {
          const given = (p & 1023) / 2048 - 0.25;
          const off = y[p] - (a * given + 0.3 - (p & 63) / 100);
          if (off > most || off < -most) wrong += 1;
          if (x[p] !== given) wrong += 1;
        }
        return wrong;
      }),
    };
  },
};
