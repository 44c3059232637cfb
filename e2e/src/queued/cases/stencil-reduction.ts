import { active, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

const BLOCK = 256;

export const stencilReduction: QueuedCase = {
  name: 'stencil-reduction',
  shows: 'b[i] from the neighbours of a[i], and the sum of b, three times',
  n: 2 ** 21,
  multiple: BLOCK,
  most: 2 ** 26,
  steps: 10,
  rounding: 1e4,
  make: (n, float) => {
    const { a, b } = fields(float, i, ['a', 'b']);
    const { s } = fields('f64', i, ['s']);
    const scope = { n };
    return {
      layout: layout(
        dense(i, n / BLOCK)
          .pointer()
          .dense(i, BLOCK)
          .place(a, b),
        dense(i, 1).place(s),
      ),
      kernels: {
        init: kernel([a], { float, scope }, (a) => {
          for (const i of range(n)) a[i] = (i % 13) / 8;
        }),
        stencil: kernel([a, b], { float }, (a, b) => {
          for (const i of active(a)) b[i] = a[i - 1] + a[i + 1] - 1.5 * a[i];
        }),
        reduce: kernel([b, s], { float }, (b, s) => {
          let sum = 0;
          for (const i of active(b)) sum += b[i];
          s[0] = sum;
        }),
      },
      start: (run) => run.init(),
      step: (run) =>
        times(3, () => {
          run.stencil();
          run.reduce();
        }),
      reference: () => {
        const a = filled(n, (i) => (i % 13) / 8);
        const b = filled(n, (i) => (a[i - 1] ?? 0) + (a[i + 1] ?? 0) - 1.5 * a[i]);
        return { b, s: filled(1, () => b.reduce((sum, x) => sum + x, 0)) };
      },
    };
  },
};
