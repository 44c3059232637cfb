import { active, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, times, type QueuedCase } from '../case.js';

const SIDE = 4;

export const deepHierarchy: QueuedCase = {
  name: 'deep-hierarchy',
  shows: 'five times x[i] += x[i + 1] for even i, through seven sparse levels',
  n: 2 ** 20,
  multiple: SIDE ** 8,
  most: 2 ** 26,
  steps: 10,
  rounding: 64,
  layouts: true,
  make: (n, float, kind) => {
    const { x } = fields(float, i, ['x']);
    let branch = dense(i, n / SIDE ** 7)[kind]();
    for (let level = 0; level < 6; level++) branch = branch.dense(i, SIDE)[kind]();
    return {
      layout: layout(branch.dense(i, SIDE).place(x)),
      kernels: {
        init: kernel([x], { float, scope: { n } }, (x) => {
          for (const i of range(n)) x[i] = (i % 6) / 64;
        }),
        jitter: kernel([x], { float }, (x) => {
          for (const i of active(x)) if (i % 2 === 0) x[i] += x[i + 1];
        }),
      },
      start: (run) => run.init(),
      step: (run) => times(5, run.jitter),
      reference: (steps) => {
        const x = filled(n, (i) => (i % 6) / 64);
        for (let s = 0; s < 5 * steps; s++) for (let i = 0; i < n; i += 2) x[i] += x[i + 1] ?? 0;
        return { x };
      },
    };
  },
};
