import { kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

export const fillArray: QueuedCase = {
  name: 'fill-array',
  shows: 'ten times a[i] = 2, over a dense array',
  n: 2 ** 22,
  multiple: 1,
  most: 2 ** 26,
  steps: 10,
  rounding: 0,
  make: (n, float) => {
    const { a } = fields(float, i, ['a']);
    return {
      layout: layout(dense(i, n).place(a)),
      kernels: {
        fill: kernel([a], { float, scope: { n } }, (a) => {
          for (const i of range(n)) a[i] = 2;
        }),
      },
      start: () => undefined,
      step: (run) => times(10, run.fill),
      reference: () => ({ a: filled(n, () => 2) }),
    };
  },
};
