import { active, kernel, ndrange } from '@filigree/lang/kernels';
import { dense, fields, ij, layout } from '@filigree/sparse/fields';
import { filled, type QueuedCase } from '../case.js';

const BLOCK = 16;

/** Coefficients that keep the fields bounded. */
const A = 0.5;
const B = 0.25;

export const sparseSaxpy: QueuedCase = {
  name: 'sparse-saxpy',
  shows: 'sums of multiples of sparse fields: z += a x, y = a z + b x, x = a y + b z',
  n: 1024,
  multiple: BLOCK,
  most: 8192,
  steps: 10,
  rounding: 4,
  make: (n, float) => {
    const { x, y, z } = fields(float, ij, ['x', 'y', 'z']);
    const scope = { n, A, B };
    return {
      layout: layout(
        dense(ij, n / BLOCK)
          .pointer()
          .dense(ij, BLOCK)
          .place(x, y, z),
      ),
      kernels: {
        init: kernel([x], { float, scope }, (x) => {
          for (const [i, j] of ndrange(n, n)) x[i][j] = (i + 2 * j) % 11;
        }),
        add: kernel([x, z], { float, scope }, (x, z) => {
          for (const [i, j] of active(x)) z[i][j] = A * z[i][j] + B * x[i][j];
        }),
        mix: kernel([x, y, z], { float, scope }, (x, y, z) => {
          for (const [i, j] of active(x)) y[i][j] = A * z[i][j] + B * x[i][j];
        }),
        back: kernel([x, y, z], { float, scope }, (x, y, z) => {
          for (const [i, j] of active(x)) x[i][j] = A * y[i][j] + B * z[i][j];
        }),
      },
      start: (run) => run.init(),
      step: (run) => {
        run.add();
        run.mix();
        run.back();
      },
      reference: (steps) => {
        const [x, y, z] = [
          filled(n * n, (k) => (Math.floor(k / n) + 2 * (k % n)) % 11),
          filled(n * n, () => 0),
          filled(n * n, () => 0),
        ];
        for (let s = 0; s < steps; s++)
          for (let k = 0; k < n * n; k++) {
            z[k] = A * z[k] + B * x[k];
            y[k] = A * z[k] + B * x[k];
            x[k] = A * y[k] + B * z[k];
          }
        return { x, y, z };
      },
    };
  },
};
