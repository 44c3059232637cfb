import { active, kernel, range } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { filled, type QueuedCase } from '../case.js';

const BLOCK = 256;

export const chainCopy: QueuedCase = {
  name: 'chain-copy',
  shows: 'y[i] = x[i] + 1 and then z[i] = y[i] + 4, over sparse blocks',
  n: 2 ** 21,
  multiple: BLOCK,
  most: 2 ** 26,
  steps: 10,
  rounding: 2,
  make: (n, float) => {
    const { x, y, z } = fields(float, i, ['x', 'y', 'z']);
    const scope = { n };
    return {
      layout: layout(
        dense(i, n / BLOCK)
          .pointer()
          .fork(...[x, y, z].map((f) => dense(i, BLOCK).place(f))),
      ),
      kernels: {
        init: kernel([x], { float, scope }, (x) => {
          for (const i of range(n)) x[i] = i % 7;
        }),
        toY: kernel([x, y], { float }, (x, y) => {
          for (const i of active(x)) y[i] = x[i] + 1;
        }),
        toZ: kernel([x, y, z], { float }, (x, y, z) => {
          for (const i of active(x)) z[i] = y[i] + 4;
        }),
      },
      start: (run) => run.init(),
      step: (run) => {
        run.toY();
        run.toZ();
      },
      reference: () => ({ y: filled(n, (i) => (i % 7) + 1), z: filled(n, (i) => (i % 7) + 5) }),
    };
  },
};
