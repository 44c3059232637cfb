import { active, append, clear, deactivate, isActive, kernel, length, range } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import type { Backend } from '@filigree/backend';
import { program, valueAndGradient } from '@filigree/runtime';
import { dense, dynamic, fields, hash, i, ij, j, layout, type Branch } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect } from 'vitest';
import { made } from './gradient-check.js';

export const { x, w, z, loss } = fields('f64', i, ['x', 'w', 'z', 'loss']);
export const { mark } = fields('i32', i, ['mark']);
export const { near } = fields('i32', ij, ['near']);

export const N = 8;

const given = ['f64', 'i32', 'i32'] as const;

const kernels = {
  setX: kernel([x, z, ...given], (x, z, _a, at, k) => {
    x[at] = z[k] * z[k] + 0.1 * at;
  }),
  addW: kernel([w, z, ...given], (w, z, _a, at, k) => {
    w[at] += z[k] * 0.7;
  }),
  overX: kernel([x, loss, ...given], (x, loss, a, at, k) => {
    for (const p of active(x)) loss[0] += a * Math.cos(x[p] + 0.3 * k) * (p + 1 + at);
  }),
  overW: kernel([w, loss, ...given], (w, loss, a, _at, _k) => {
    for (const p of active(w)) loss[0] += (a + w[p]) * (p + 1);
  }),
  into: kernel([x, w, ...given], (x, w, a, _at, _k) => {
    for (const p of active(x)) w[p] += a * Math.sin(x[p] + 0.2);
  }),
  spread: kernel([x, w, ...given], (x, w, a, at, _k) => {
    for (const p of active(x)) w[(p + at) % 8] += a * Math.sin(x[p] + 0.4);
  }),
  inPlace: kernel([x, w, ...given], (x, w, a, _at, _k) => {
    for (const p of active(x)) {
      w[p] = Math.sin(w[p] * a) + 0.4 * x[p];
      x[p] += 0.2 * w[p] * w[p];
    }
  }),
  asks: kernel([x, z, loss, ...given], (x, z, loss, a, at, k) => {
    loss[0] += a * (isActive(x, at) ? z[k] * 3 : z[k] * z[k]);
  }),
  put: kernel([mark, ...given], (mark, _a, at, k) => {
    mark[at] = k + 1;
  }),
  drop: kernel([mark, ...given], (mark, _a, at, _k) => {
    deactivate(mark, at);
  }),
  dropAll: kernel([mark, ...given], (mark, _a, _at, _k) => {
    clear(mark);
  }),
  overMarks: kernel([mark, z, loss, ...given], (mark, z, loss, a, _at, _k) => {
    for (const p of active(mark)) loss[0] += a * mark[p] * z[p % 4] ** 3 * (p + 1);
  }),
  oneMark: kernel([mark, z, loss, ...given], (mark, z, loss, a, at, k) => {
    loss[0] += (mark[at] + a) * z[k] * z[k];
  }),
  push: kernel([near, ...given], (near, _a, at, k) => {
    append(near[at % 4], k);
  }),
  empty: kernel([near, ...given], (near, _a, at, _k) => {
    clear(near[at % 4]);
  }),
  emptyAll: kernel([near, ...given], (near, _a, _at, _k) => {
    clear(near);
  }),
  refill: kernel([near, ...given], (near, _a, at, k) => {
    for (const p of range(4))
      if (p === at % 4) {
        clear(near[p]);
        /* In order: a loop within one is serial. */
        for (const n of range(k)) append(near[p], (n + at) % 4);
      }
  }),
  overNear: kernel([near, z, loss, ...given], (near, z, loss, a, _at, _k) => {
    for (const [p, q] of active(near)) loss[0] += a * z[p] * Math.sin(z[near[p][q]] * (q + 1));
  }),
  places: kernel([near, z, loss, ...given], (near, z, loss, a, _at, _k) => {
    for (const [p, q] of active(near)) loss[0] += a * Math.sin(z[p] * (q + 2));
  }),
  lengths: kernel([near, z, loss, ...given], (near, z, loss, a, at, k) => {
    loss[0] += a * z[k] * z[k] * length(near[at % 4]);
  }),
  refillAndLoop: kernel([near, z, loss, ...given], (near, z, loss, a, at, k) => {
    for (const p of range(4))
      if (p === at % 4) {
        clear(near[p]);
        /* In order: a loop within one is serial. */
        for (const n of range(k)) append(near[p], (n + at) % 4);
      }
    for (const [p, q] of active(near)) loss[0] += a * z[p] * Math.sin(z[near[p][q]] + q);
  }),
  loopAndEmpty: kernel([near, z, loss, ...given], (near, z, loss, a, at, _k) => {
    for (const [p, q] of active(near)) loss[0] += a * z[p] * Math.sin(z[near[p][q]] + q);
    clear(near[at % 4]);
  }),
  reset: kernel([loss], (loss) => {
    loss[0] = 0.0;
  }),
};

const { reset: _, ...others } = kernels;
const names = Object.keys(others) as readonly (keyof typeof others)[];

export const LAYOUTS: Readonly<Record<string, readonly Branch[]>> = {
  pointers: [
    dense(i, 4).pointer().dense(i, 2).place(x, w),
    dense(i, 4).pointer().dense(i, 2).pointer().place(mark),
    dense(i, 4).pointer().dynamic(j, 64).place(near),
  ],
  masks: [
    dense(i, N).bitmasked().place(x, w),
    dense(i, 2).pointer().dense(i, 4).bitmasked().place(mark),
    dense(i, 4).dynamic(j, 64).place(near),
  ],
  tables: [
    hash(i, N).place(x, w),
    hash(i, 4).dense(i, 2).bitmasked().place(mark),
    hash(i, 4).dynamic(j, 64).place(near),
  ],
  'lists of cells': [
    dynamic(i, N).place(x, w),
    dense(i, N).place(mark),
    dense(i, 4).pointer().dynamic(j, 64).pointer().place(near),
  ],
};

export interface Launch {
  readonly name: (typeof names)[number];
  readonly at: number;
  readonly k: number;
}

export const launch: fc.Arbitrary<Launch> = fc.record({
  name: fc.constantFrom(...names),
  at: fc.nat(N - 1),
  k: fc.nat(3),
});

export const make = (branches: readonly Branch[], how: { backend: Backend; debug?: boolean; threads?: number }) =>
  made(
    program({
      layout: layout(...branches, dense(i, 4).place(z), dense(i, 1).place(loss)),
      kernels,
      differentiate: true,
      ...how,
    }),
  );
type Sim = Awaited<ReturnType<typeof make>>;

const z0 = [0.7, -0.4, 1.1, 0.3];

/** Fields as each run begins with them. */
export const begin = (sim: Sim, values: readonly number[] = z0): void => {
  for (const f of [x, w, mark, near]) sim.field(f).clear();
  sim.field(z).fromArray(values);
  sim.field(x).set(1, 0.4);
  sim.field(mark).set(2, 5);
  sim.field(near).append([1], 2);
};

/**
 * Compares the gradient of a run by `z` and by an argument with differences. Gives the code where it is refused.
 *
 * @param run launches by a function that is handed the argument
 * @param gradient called when the gradient is there
 */
export const checkRun = (
  sim: Sim,
  run: (launch: (l: Launch) => void) => void,
  gradient: () => unknown = () => undefined,
): string | undefined => {
  const forward = (a: number): void => {
    sim.run.reset();
    run(({ name, at, k }) => void sim.run[name](a, at, k));
  };
  const value = (values: readonly number[], a: number): number => {
    begin(sim, values);
    forward(a);
    return sim.field(loss).get(0);
  };
  begin(sim);
  let found: ReturnType<typeof gradientOf>;
  const gradientOf = () => valueAndGradient(sim, () => forward(1.3), { loss, wrt: { z } });
  try {
    found = gradientOf();
  } catch (e) {
    if (!(e instanceof DiagnosticError)) throw e;
    return e.diagnostics[0].code;
  }
  gradient();
  const by = Object.values(found.byArgument).reduce((sum, of) => sum + (of['a'] ?? of['_a'] ?? 0), 0);
  [...z0.map((_v, n) => Number(found.gradient.z.get(n))), by].forEach((g, n) => {
    const h = 4e-4;
    const along = (t: number): number =>
      value(
        z0.map((v, m) => (m === n ? v + t : v)),
        n === z0.length ? 1.3 + t : 1.3,
      );
    const wanted = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
    expect(Math.abs(g - wanted), `${n}: ${g}, by differences ${wanted}`).toBeLessThan(
      1e-7 * Math.max(1, Math.abs(wanted)),
    );
  });
  return undefined;
};
