import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, kernel, range, type KernelDef } from '@filigree/lang/kernels';
import { dense, fields, i, layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { checkGradient } from './gradient-check.js';

const { x, loss } = fields('f64', i, ['x', 'loss']);
const tree = layout(dense(i, 4).place(x), dense(i, 1).place(loss));

/** Kernels that compute what is no number, and let nothing of it into the loss. */
const kernels: Readonly<Record<string, KernelDef>> = {
  'compared only, in a branch': kernel([x, loss], (x, loss) => {
    for (const p of active(x)) {
      const root = x[p] ** 0.5;
      if (x[p] > -0.5) {
        let weight = 1.0;
        if (root > 0.8) weight = 2.0;
        loss[0] += weight * x[p] * x[p];
      }
    }
  }),
  'compared only, in a loop': kernel([x, loss], (x, loss) => {
    for (const p of active(x)) {
      const root = (x[p] - 1) ** 1.5;
      for (const k of range(5)) {
        if (root > k) loss[0] += x[p];
        loss[0] += k * x[p] * x[p];
      }
    }
  }),
  'from around the loop over elements': kernel([x, loss, 'f64'], (x, loss, a) => {
    const root = (a - 3) ** 0.5;
    for (const p of active(x)) {
      let weight = 1.0;
      if (root > 0.1) weight = 4.0;
      loss[0] += weight * a * x[p] * x[p];
    }
  }),
  'carried by a loop, and left there': kernel([x, loss], (x, loss) => {
    for (const p of active(x)) {
      let last = 0.0;
      let sum = 0.0;
      for (const k of range(5)) {
        last = last * 0.5 + (x[p] - 1) ** 1.5;
        if (last > 3) sum += 1;
        sum += k * x[p] * x[p];
      }
      loss[0] += sum;
    }
  }),
  'what the last of the iterations leaves, and none reads': kernel([x, loss], (x, loss) => {
    for (const p of active(x)) {
      let last = 0.0;
      let root = 0.0;
      for (const k of range(5)) {
        root = (x[p] - 1) ** 1.5;
        last = k * x[p] * x[p];
        if (root > 0.1) last += 1;
      }
      if (root < 2) last = -last;
      loss[0] += last;
    }
  }),
  'carried by a loop that asks': kernel([x, loss], (x, loss) => {
    for (const p of active(x)) {
      let last = 1.0;
      let k = 0;
      let sum = 0.3;
      while (k < 3) {
        last = last * (x[p] - 1) ** 1.5;
        sum = sum * x[p] + x[p];
        k++;
        if (last > 2) k++;
      }
      loss[0] += sum;
    }
  }),
};
const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

describe.each([cpp(), wasm()].map((backend) => [backend.name, backend] as const))(
  'what reaches no element has no adjoint: %s',
  (_name, backend) => {
    it.each(Object.entries(kernels))('%s', async (_what, f) => {
      const values = [-0.3, 0.4, 0.9, -0.8].map((v, p) => [x, [p], v] as const);
      const args = f.args.length > 2 ? [1.5] : [];
      const checked = { layout: tree, f, reset, loss, values, args, backend, fastMath: false };
      const { byArgument } = await checkGradient(checked);
      /* The root is no number, so all weights are 1. */
      if (args.length > 0) expect(byArgument.f.a).toBeCloseTo(0.09 + 0.16 + 0.81 + 0.64, 12);
    });
  },
);
