import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import type { Backend } from '@filigree/backend';
import { active, kernel } from '@filigree/lang/kernels';
import { fixed, float, int } from '@filigree/quant';
import { program, valueAndGradient } from '@filigree/runtime';
import {
  bitArray,
  bitStruct,
  dense,
  fields,
  hash,
  i,
  layout,
  stored,
  type Branch,
  type Format,
} from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, loss } = fields('f64', i, ['x', 'y', 'loss']);
const { n } = fields('i32', i, ['n']);
const N = 8;

/* Formats so coarse that what is stored is far from what was computed: derivatives are taken at what is read again. */
const coarse = fixed(7, 4);
const short = float(5, 3);
const places: Readonly<Record<string, readonly [branch: Branch, x: Format]>> = {
  'fixed point, in cells': [
    dense(i, 4)
      .pointer()
      .dense(i, 2)
      .place(stored(x, coarse), stored(n, int(4))),
    coarse,
  ],
  'floats, in a word with others': [
    dense(i, N)
      .bitmasked()
      .place(bitStruct(16, stored(x, short), stored(n, int(4)))),
    short,
  ],
  'a bit array below a table': [
    hash(i, 2).fork(bitArray(i, 4, 32).place(stored(x, coarse)), dense(i, 4).place(stored(n, int(4)))),
    coarse,
  ],
};

/** What is done to an element: plain numbers and their derivative by the first, which rounding leaves as it is. */
type Dual = readonly [value: number, slope: number];
const sin = ([v, d]: Dual): Dual => [Math.sin(v), Math.cos(v) * d];
const mul = ([v, d]: Dual, [w, e]: Dual): Dual => [v * w, d * w + v * e];
const add = ([v, d]: Dual, [w, e]: Dual): Dual => [v + w, d + e];

/* Each reads what it has written, and what it has overwritten, by functions that are not linear. */
const kernels = {
  twice: kernel([x, y, n], (x, y, _n) => {
    for (const p of active(x)) {
      x[p] = 2 * Math.sin(x[p]);
      y[p] += x[p] * x[p];
      x[p] = x[p] * Math.sin(x[p]);
    }
  }),
  branches: kernel([x, y, n], (x, y, n) => {
    for (const p of active(x)) {
      if (n[p] > 1) x[p] = 1.7 * Math.sin(x[p]);
      n[p] = n[p] + 20;
      if (n[p] > 0) x[p] = x[p] * x[p];
      y[p] += x[p] * x[p] * n[p];
    }
  }),
  loops: kernel([x, y, n], (x, y, n) => {
    for (const p of active(x)) {
      for (let k = 0; k < n[p]; k++) x[p] = x[p] + 0.7 * Math.sin(x[p]);
      y[p] += x[p] * Math.sin(x[p]);
    }
  }),
};

const reference = {
  twice: (v: Dual, _n: number, store: (v: Dual) => Dual): Dual => {
    const a = store(mul([2, 0], sin(v)));
    const b = store(mul(a, sin(a)));
    return add(mul(a, a), mul(b, b));
  },
  branches: (v: Dual, n: number, store: (v: Dual) => Dual): Dual => {
    const a = n > 1 ? store(mul([1.7, 0], sin(v))) : v;
    const m = ((n + 20 + 8) % 16) - 8;
    const b = m > 0 ? store(mul(a, a)) : a;
    return add(mul(mul(b, b), [m, 0]), mul(b, b));
  },
  loops: (v: Dual, n: number, store: (v: Dual) => Dual): Dual => {
    let a = v;
    for (let k = 0; k < n; k++) a = store(add(a, mul([0.7, 0], sin(a))));
    return add(mul(a, sin(a)), mul(a, a));
  },
};

const total = kernel([x, y, loss], (x, y, loss) => {
  loss[0] = 0.0;
  for (const p of active(x)) loss[0] += (p + 1) * (y[p] + x[p] * x[p]);
});

const backends: readonly Backend[] = [cpp(), wasm()];

describe.each(backends.map((b) => [b.name, b] as const))(
  'what is changed in place in formats: %s',
  async (_, backend) => {
    const { usable, reason } = await backend.probe();
    const cases = Object.keys(places).flatMap((where, k) =>
      (['twice', 'branches', 'loops'] as const).map((what) => [what, where, 1 + (k % 2)] as const),
    );

    it.skipIf(!usable && !process.env.CI).each(cases)(
      `is differentiated where it was rounded to: %s, %s, %i threads${usable ? '' : `: ${reason}`}`,
      async (what, where, threads) => {
        const [branch, format] = places[where];
        const tree = layout(branch, dense(i, N).place(y), dense(i, 1).place(loss));
        const sim = await made(
          program({ layout: tree, kernels: { ...kernels, total }, backend, threads, differentiate: true }),
        );
        const round = (v: number): number => Number(format.decode(format.encode(v, 'f64'), 'f64'));
        const start = Array.from({ length: N }, (_, p) => round(1.9 * Math.sin(3 * p + 1)));
        for (let time = 0; time < 2; time++) {
          sim.field(y).fill(0);
          start.forEach((v, p) => {
            sim.field(x).set(p, v);
            sim.field(n).set(p, p % 4);
          });
          const forward = (): void => {
            sim.run[what]();
            sim.run.total();
          };
          const { value, gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
          const wanted = start.map((v, p) => reference[what]([v, 1], p % 4, ([w, d]) => [round(w), d]));
          expect(value).toBeCloseTo(
            wanted.reduce((sum, [v], p) => sum + (p + 1) * v, 0),
            9,
          );
          wanted.forEach(([, d], p) => expect(gradient.x.get(p)).toBeCloseTo((p + 1) * d, 9));
        }
        sim.dispose();
      },
    );
  },
);
