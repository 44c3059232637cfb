import { i16, kernel, range } from '@filigree/lang/kernels';
import { int } from '@filigree/quant';
import { bitStruct, fields, i, stored } from '@filigree/sparse/fields';
import type { QuantLoop } from './quant-loop.js';

/** Every field of a word is stored, over and over into the first 32,768 elements. */
export const storeLoop: QuantLoop = {
  name: 'quant-store',
  source: 'store.ts',
  shows: 'all fields of a word are stored: two integers of 16 bits',
  published: 2 ** 28,
  of: (n) => {
    const { x, y } = fields('i16', i, ['x', 'y']);
    const seen = Math.min(n, 32768);
    const all = [x, y] as const;
    const scope = { n, seen, i16, range };
    return {
      fields: { x, y },
      off: [x, y],
      on: [bitStruct(32, stored(x, int(16)), stored(y, int(16)))],
      fill: kernel(all, { scope }, (x, y) => {
        for (const p of range(n)) {
          x[p] = -1;
          y[p] = -2;
        }
      }),
      loop: kernel(all, { scope }, (x, y) => {
        for (const p of range(n)) {
          x[p & 32767] = i16(p & 1023);
          y[p & 32767] = i16(p & 15);
        }
      }),
      wrong: kernel(all, { scope }, (x, y) => {
        let wrong = 0;
        for (const p of range(n))
          if (p < seen) {
            if (x[p] !== (p & 1023)) wrong += 1;
            if (y[p] !== (p & 15)) wrong += 1;
          } else if (x[p] !== -1 || y[p] !== -2) wrong += 1;
        return wrong;
      }),
    };
  },
};
