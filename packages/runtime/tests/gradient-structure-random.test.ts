import { wasm } from '@filigree/backend-wasm';
import { active, append, clear, deactivate, isActive, kernel, length, range } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, dynamic, fields, hash, i, ij, j, layout, type Branch } from '@filigree/sparse/fields';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, w, z, loss } = fields('f64', i, ['x', 'w', 'z', 'loss']);
const { mark } = fields('i32', i, ['mark']);
const { near } = fields('i32', ij, ['near']);

const N = 8;

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
    clear(near[at % 4]);
    for (const n of range(k)) append(near[at % 4], (n + at) % 4);
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
    clear(near[at % 4]);
    for (const n of range(k)) append(near[at % 4], (n + at) % 4);
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

const LAYOUTS: Readonly<Record<string, readonly Branch[]>> = {
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

const launch = fc.record({
  name: fc.constantFrom(...names),
  at: fc.nat(N - 1),
  k: fc.nat(3),
});

const sims = new Map<string, Promise<Sim>>();
/** The first of them in debug mode. */
const DEBUG = 'debug';

const make = (where: string) =>
  made(
    program({
      layout: layout(...(LAYOUTS[where] ?? LAYOUTS['pointers']), dense(i, 4).place(z), dense(i, 1).place(loss)),
      kernels,
      backend: wasm(),
      differentiate: true,
      debug: where === DEBUG,
    }),
  );
type Sim = Awaited<ReturnType<typeof make>>;

it('launches that activate, deactivate, append and clear, in any order, have the gradients that differences tell, or are refused', async () => {
  let right = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(LAYOUTS), DEBUG),
      fc.array(launch, { minLength: 2, maxLength: 10 }),
      fc.array(launch, { maxLength: 4 }),
      fc.constantFrom('launches' as const, 'all' as const, 'root' as const, 2, 1),
      async (where, list, last, how) => {
        const known = sims.get(where) ?? make(where);
        sims.set(where, known);
        const sim = await known;
        const one =
          (a: number) =>
          ({ name, at, k }: (typeof list)[number]): void => {
            sim.run[name](a, at, k);
          };
        const forward = (a: number): void => {
          sim.run.reset();
          if (how === 'launches') list.forEach(one(a));
          else
            steps(sim, 3, (s) => list.forEach((l) => one(a)({ ...l, at: (l.at + s) % N })), {
              state: [loss],
              keep: how,
            });
          last.forEach(one(a));
        };
        const z0 = [0.7, -0.4, 1.1, 0.3];
        const begin = (values: readonly number[]): void => {
          for (const f of [x, w, mark, near]) sim.field(f).clear();
          sim.field(z).fromArray(values);
          sim.field(x).set(1, 0.4);
          sim.field(mark).set(2, 5);
          sim.field(near).append([1], 2);
        };
        const value = (values: readonly number[], a: number): number => {
          begin(values);
          forward(a);
          return sim.field(loss).get(0);
        };
        begin(z0);
        let found: ReturnType<typeof gradientOf>;
        const gradientOf = () => valueAndGradient(sim, () => forward(1.3), { loss, wrt: { z } });
        try {
          found = gradientOf();
        } catch (e) {
          if (!(e instanceof DiagnosticError)) throw e;
          const { code } = e.diagnostics[0];
          expect(code).toMatch(/^tape\/(overwritten|structure|independent|replay|written-twice|unfinished)$/);
          return;
        }
        right++;
        const by = Object.values(found.byArgument).reduce((sum, of) => sum + (of['a'] ?? of['_a'] ?? 0), 0);
        const gradient = [...z0.map((_v, n) => Number(found.gradient.z.get(n))), by];
        gradient.forEach((g, n) => {
          const h = 1e-3;
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
      },
    ),
    { numRuns: 100 },
  );
  expect(right).toBeGreaterThan(5);
  for (const sim of sims.values()) (await sim).dispose();
});
