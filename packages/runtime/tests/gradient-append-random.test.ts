import { wasm } from '@filigree/backend-wasm';
import { active, append, clear, deactivate, kernel, length, range } from '@filigree/lang/kernels';
import { program, steps, valueAndGradient, type Program } from '@filigree/runtime';
import { dense, dynamic, fields, hash, i, ij, j, layout } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, g, m, flat, loss } = fields('f64', i, ['x', 'y', 'g', 'm', 'flat', 'loss']);
const { a, b } = fields('f64', ij, ['a', 'b']);

/* Whatever is launched in whichever order, lists grow, are emptied, and read, and cells come and go. */
const kernels = {
  emptyA: kernel([a], (a) => clear(a)),
  emptyB: kernel([b], (b) => {
    for (const c of range(3)) clear(b[c]);
  }),
  emptyFlat: kernel([flat], (flat) => clear(flat)),
  emptyG: kernel([g], (g) => clear(g)),
  fillA: kernel([x, a, 'i32'], (x, a, t) => {
    for (const p of active(x)) append(a[(p + t) % 3], Math.sin(x[p] + t));
  }),
  fillB: kernel([x, y, b], (x, y, b) => {
    for (const p of active(x))
      for (const k of range(2)) if ((p + k) % 3 !== 1) append(b[(p + k) % 3], x[p] * y[p] + 0.1 * k);
  }),
  toB: kernel([a, b], (a, b) => {
    for (const [c, q] of active(a)) append(b[(c + 1) % 3], a[c][q] * a[c][q]);
  }),
  toA: kernel([a, b], (a, b) => {
    for (const [c, q] of active(b)) if (q % 2 === 0) append(a[c], Math.cos(b[c][q]));
  }),
  toFlat: kernel([b, flat], (b, flat) => {
    for (const c of range(3)) for (let k = 0; k < length(b[c]); k++) append(flat, b[c][k] + 0.2);
  }),
  scaleA: kernel([a], (a) => {
    for (const [c, q] of active(a)) a[c][q] = a[c][q] * 0.9 + 0.05 * a[c][q] * a[c][q];
  }),
  scaleFlat: kernel([flat, x], (flat, x) => {
    for (const q of active(flat)) flat[q] += 0.1 * x[q % 7] * flat[q];
  }),
  toX: kernel([a, x], (a, x) => {
    for (const c of range(3)) {
      let s = 0.1;
      for (const k of range(length(a[c]))) s += a[c][k] / (k + 1);
      x[c] = 0.5 * x[c] + 0.1 * s;
    }
  }),
  toY: kernel([flat, y], (flat, y) => {
    for (const p of range(7)) {
      let s = 0.0;
      for (const k of range(length(flat))) s += Math.sin(flat[k] + p);
      y[p] += 0.02 * s;
    }
  }),
  splat: kernel([x, y, g, m, 'i32'], (x, y, g, m, t) => {
    for (const p of active(x))
      for (const d of range(2)) {
        const c = (3 * p + d + t) % 16;
        g[c] += x[p] * y[p] + 0.1 * d;
        m[c] += x[p] + 0.5;
      }
  }),
  norm: kernel([g, m], (g, m) => {
    for (const c of active(g)) if (m[c] > 0) g[c] = g[c] / (1 + m[c] * m[c]);
  }),
  fromG: kernel([x, g], (x, g) => {
    for (const p of active(x)) x[p] = 0.6 * x[p] + 0.2 * Math.sin(g[(3 * p + 1) % 16]) + 0.05;
  }),
  drop: kernel([g, 'i32'], (g, t) => deactivate(g, 4 * t)),
  leave: kernel([g, m, loss], (g, m, loss) => {
    for (const c of active(g)) {
      loss[0] += g[c] * m[c];
      if (c % 3 === 0) deactivate(g, c);
    }
  }),
  total: kernel([a, flat, g, m, x, y, loss], (a, flat, g, m, x, y, loss) => {
    for (const [c, q] of active(a)) loss[0] += a[c][q] * (c + 1);
    for (const q of active(flat)) loss[0] += flat[q] * flat[q];
    for (const c of active(g)) loss[0] += g[c] * (c + 1) + m[c] * m[c];
    for (const p of range(7)) loss[0] += x[p] * x[p] + y[p] * (p + 1);
  }),
};

type Sim = Program<typeof kernels>;

const cells = {
  dense: () => [dense(i, 3), dense(i, 16).bitmasked()],
  pointer: () => [dense(i, 3).pointer(), dense(i, 4).pointer().dense(i, 4).bitmasked()],
  hash: () => [hash(i, 16), hash(i, 64)],
} as const;

const sims = new Map<string, Promise<Sim>>();
const simOf = (around: keyof typeof cells): Promise<Sim> => {
  const make = () => {
    const [lists, grid] = cells[around]();
    const tree = layout(
      dense(i, 7).place(x, y),
      lists.dynamic(j, 400).place(a),
      dense(i, 3).dynamic(j, 400).place(b),
      dynamic(i, 2000).place(flat),
      grid.place(g, m),
      dense(i, 1).place(loss),
    );
    return made(program({ layout: tree, kernels, differentiate: true, backend: wasm() }));
  };
  const sim = sims.get(around) ?? make();
  sims.set(around, sim);
  return sim;
};
afterAll(async () => {
  for (const sim of sims.values()) (await sim).dispose();
});

const launches = (minLength: number, maxLength: number) =>
  fc.array(fc.tuple(fc.constantFrom(...(Object.keys(kernels) as (keyof typeof kernels)[])), fc.nat(3)), { minLength, maxLength }); // prettier-ignore

it('launches that append, clear and deactivate, in any order, have the gradients that differences tell', async () => {
  let checked = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...(Object.keys(cells) as (keyof typeof cells)[])),
      launches(0, 4),
      launches(2, 6),
      launches(0, 3),
      fc.constantFrom(undefined, 'all' as const, 'root' as const, 2),
      async (around, before, within, after, keep) => {
        const sim = await simOf(around);
        const run = ([name, t]: readonly [keyof typeof kernels, number]): void => {
          (sim.run[name] as (...args: readonly number[]) => unknown)(...(['fillA', 'splat', 'drop'].includes(name) ? [t] : [])); // prettier-ignore
        };
        const step = () => within.forEach(run);
        const forward = () => {
          before.forEach(run);
          if (keep) steps(sim, 3, step, { state: [x, y, a, b, flat, g, m, loss], keep });
          else for (const _ of range(3)) step();
          after.forEach(run);
          sim.run.total();
        };
        const begin = () => {
          for (const f of [a, b, flat, g]) sim.field(f).clear();
          for (const p of range(7)) {
            sim.field(x).set(p, 0.25 + 0.07 * p);
            sim.field(y).set(p, 0.3 - 0.04 * p);
          }
          sim.field(loss).fill(0);
        };
        begin();
        const { value, gradient } = valueAndGradient(sim, forward, { loss, wrt: { x, y } });
        fc.pre(Math.abs(value) < 1e4);
        const asked = [[x, 1, gradient.x.get([1])], [x, 4, gradient.x.get([4])], [y, 2, gradient.y.get([2])]] as const; // prettier-ignore
        for (const [of, p, found] of asked) {
          const along = (t: number): number => {
            begin();
            sim.field(of).set(p, sim.field(of).get(p) + t);
            forward();
            return sim.field(loss).get(0);
          };
          const h = 1e-4;
          const by = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
          expect(Math.abs(found - by), `${of.name}[${p}]: ${found}, by differences ${by}`).toBeLessThan(
            1e-6 * Math.max(1, Math.abs(by), Math.abs(value)),
          );
          checked++;
        }
      },
    ),
    { numRuns: 150 },
  );
  expect(checked).toBeGreaterThan(30);
});
