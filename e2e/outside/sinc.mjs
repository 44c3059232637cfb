import { active, dense, fields, i, kernel, layout } from 'filigree';
import { sinc } from './src/extension.mjs';

export const { x, loss } = fields('f64', i, ['x', 'loss']);

const total = kernel([x, loss], { scope: { sinc, active } }, (x, loss) => {
  for (const n of active(x)) loss[0] += sinc(x[n]) * sinc(x[n] + 1);
});

/** The sum over n of sinc(xₙ) sinc(xₙ + 1). */
export const sim = { layout: layout(dense(i, 1000).place(x), dense(i, 1).place(loss)), kernels: { total } };
