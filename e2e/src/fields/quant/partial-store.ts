import { i8, kernel, range } from '@filigree/lang/kernels';
import { int } from '@filigree/quant';
import { bitStruct, fields, i, stored } from '@filigree/sparse/fields';
import type { QuantLoop } from './quant-loop.js';

/** Three of the four fields of each word are stored. */
export const partialStoreLoop: QuantLoop = {
  name: 'quant-partial-store',
  source: 'partial-store.ts',
  shows: 'three of the four fields of a word are stored: integers of 8 bits',
  published: 2 ** 28,
  of: (n) => {
    const { x, y, z, w } = fields('i8', i, ['x', 'y', 'z', 'w']);
    const all = [x, y, z, w] as const;
    const scope = { n, i8, range };
    return {
      fields: { x, y, z, w },
      off: all,
      on: [bitStruct(32, ...all.map((f) => stored(f, int(8))))],
      fill: kernel(all, { scope }, (x, y, z, w) => {
        for (const p of range(n)) {
          x[p] = -1;
          y[p] = -2;
          z[p] = -3;
          w[p] = i8((p & 255) - 128);
        }
      }),
      loop: kernel([x, y, z], { scope }, (x, y, z) => {
        for (const p of range(n)) {
          x[p] = i8(p & 127);
          y[p] = i8(p & 31);
          z[p] = i8(p & 7);
        }
      }),
      wrong: kernel(all, { scope }, (x, y, z, w) => {
        let wrong = 0;
        for (const p of range(n)) {
          if (x[p] !== (p & 127)) wrong += 1;
          if (y[p] !== (p & 31)) wrong += 1;
          if (z[p] !== (p & 7)) wrong += 1;
          if (w[p] !== (p & 255) - 128) wrong += 1;
        }
        return wrong;
      }),
    };
  },
};
