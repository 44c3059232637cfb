import { active, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

const BLOCK = 256;

export const increments: QueuedCase = {
  name: 'increments',
  shows: 'ten times x[i] += 1, over sparse blocks',
  n: 2 ** 22,
  multiple: BLOCK,
  most: 2 ** 26,
  steps: 10,
  rounding: 2,
  make: (n, float) => {
    const { x } = fields(float, i, ['x']);
    const scope = { n };
    return {
      layout: layout(
        dense(i, n / BLOCK)
          .pointer()
          .dense(i, BLOCK)
          .place(x),
      ),
      kernels: {
        init: kernel([x], { float, scope }, (x) => {
          for (const i of range(n)) x[i] = i % 5;
        }),
        inc: kernel([x], { float }, (x) => {
          for (const i of active(x)) x[i] += 1;
        }),
      },
      start: (run) => run.init(),
      step: (run) => times(10, run.inc),
      reference: (steps) => ({ x: filled(n, (i) => (i % 5) + 10 * steps) }),
    };
  },
};
