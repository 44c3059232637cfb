import { active, idiv, kernel, range, type Grid1 } from '@filigree/lang/kernels';
import { dense, fields, i, layout, type FieldDecl } from '@filigree/sparse/fields';
import { filled, type QueuedCase } from '../case.js';

const BLOCK = 64;
const LEVELS = 4;

export const multires: QueuedCase = {
  name: 'multires',
  shows: 'sums of two neighbours, four levels up',
  n: 2 ** 21,
  multiple: BLOCK * 2 ** LEVELS,
  most: 2 ** 26,
  steps: 10,
  rounding: 64,
  layouts: true,
  make: (n, float, kind) => {
    const names = Array.from({ length: LEVELS + 1 }, (_, l) => `x${l}`);
    const levels = names.map((name) => fields(float, i, [name])[name]);
    const down = (fine: FieldDecl, coarse: FieldDecl, name: string) =>
      kernel([fine, coarse], { float, name }, (fine: Grid1, coarse: Grid1) => {
        for (const i of active(fine)) coarse[idiv(i, 2)] += fine[i] * 0.25;
      });
    const downs = levels.slice(1).map((coarse, l) => [`down${l}`, down(levels[l], coarse, `down${l}`)] as const);
    return {
      layout: layout(
        ...levels.map((f, l) =>
          dense(i, n / BLOCK / 2 ** l)
            [kind]()
            .dense(i, BLOCK)
            .place(f),
        ),
      ),
      kernels: {
        init: kernel([levels[0]], { float, scope: { n } }, (x) => {
          for (const i of range(n)) x[i] = (i % 9) / 4;
        }),
        ...Object.fromEntries(downs),
      },
      start: (run) => run.init(),
      step: (run) => downs.forEach(([name]) => run[name]()),
      reference: (steps) => {
        const values = levels.map((_, l) => filled(n / 2 ** l, (i) => (l === 0 ? (i % 9) / 4 : 0)));
        for (let s = 0; s < steps; s++)
          for (let l = 1; l <= LEVELS; l++)
            for (let i = 0; i < values[l - 1].length; i++) values[l][Math.floor(i / 2)] += values[l - 1][i] * 0.25;
        return Object.fromEntries(names.map((name, l) => [name, values[l]]));
      },
    };
  },
};
