import { adjointField } from '@filigree/autodiff';
import { active, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

const TIMES = 10;

export const autodiffReduction: QueuedCase = {
  name: 'autodiff-reduction',
  shows: 'the gradient of a sum of squares, added up ten times; the sum itself is never asked for',
  n: 2 ** 21,
  multiple: 8,
  most: 2 ** 26,
  steps: 10,
  rounding: 64,
  make: (n, float) => {
    const { a, b } = fields(float, i, ['a', 'b']);
    const { loss } = fields(float, i, ['loss']);
    const scope = { n };
    return {
      layout: layout(dense(i, n).place(a, b), dense(i, 1).place(loss)),
      differentiate: [a, loss],
      kernels: {
        init: kernel([a], { float, scope }, (a) => {
          for (const i of range(n)) a[i] = (i % 5) / 4;
        }),
        reset: kernel([loss], { float }, (loss) => {
          loss[0] = 0;
        }),
        compute: kernel([a, loss], { float }, (a, loss) => {
          for (const i of active(a)) loss[0] += a[i] * a[i];
        }),
        accumulate: kernel([adjointField(a), b], { float }, (slope, b) => {
          for (const i of active(b)) b[i] += slope[i];
        }),
      },
      start: (run) => run.init(),
      step: (run, { gradient }) =>
        times(TIMES, () => {
          const forward = (): void => {
            run.reset();
            run.compute();
          };
          gradient(forward, { loss, wrt: { a } });
          run.accumulate();
        }),
      reference: (steps) => ({ b: filled(n, (i) => (steps * TIMES * (i % 5)) / 2) }),
    };
  },
};
