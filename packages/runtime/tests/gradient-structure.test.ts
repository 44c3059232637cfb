import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, append, clear, deactivate, kernel, length, range } from '@filigree/lang/kernels';
import { DiagnosticError } from '@filigree/ir';
import { hostStep, program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, hash, i, ij, j, layout, type AnyField } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, z, w, v, loss } = fields('f64', i, ['x', 'y', 'z', 'w', 'v', 'loss']);
const { near } = fields('i32', ij, ['near']);
const { mark } = fields('i32', i, ['mark']);
const { big } = fields('i64', i, ['big']);

const tree = layout(
  dense(i, 8).pointer().dense(i, 2).bitmasked().place(x, w, big),
  hash(i, 64).place(y, v),
  dense(i, 4).place(z),
  dense(i, 4).dynamic(j, 16).place(near),
  dense(i, 8).pointer().place(mark),
  dense(i, 1).place(loss),
);

const kernels = {
  /* An inactive cell would give something, too. */
  overX: kernel([x, loss, 'f64'], (x, loss, a) => {
    for (const p of active(x)) loss[0] += a * Math.cos(x[p] + 0.3) * (p + 1);
  }),
  overY: kernel([y, loss, 'f64'], (y, loss, a) => {
    for (const p of active(y)) loss[0] += a * Math.sin(y[p] + 0.2) * (p + 1);
  }),
  start: kernel([x, y, z], (x, y, z) => {
    for (const p of range(3)) {
      x[3 * p] = z[p] * z[1];
      y[2 - 5 * p] = z[p] * z[2];
    }
  }),
  /* Others in the same cells. */
  setW: kernel([w, z, 'i32'], (w, z, at) => {
    w[at] = z[(at + 1) % 4] * z[1];
  }),
  /* In place, of what is active. */
  push: kernel([x, w, 'f64'], (x, w, a) => {
    for (const p of active(x)) {
      w[p] += a * 0.2 * Math.cos(x[p]);
      x[p] += 0.3 * Math.sin(w[p]) + 0.1;
    }
  }),
  swing: kernel([y, v, 'f64'], (y, v, a) => {
    for (const p of active(y)) {
      v[p] -= 0.1 * a * Math.sin(y[p] + 0.1);
      y[p] += v[p] * v[p];
    }
  }),
  setBig: kernel([big, 'i64', 'i32'], (big, to, at) => {
    big[at] = to;
  }),
  setV: kernel([v, z, 'i32'], (v, z, at) => {
    v[at] += z[2];
  }),
  /* Neighbours, which are found anew. */
  empty: kernel([near], (near) => {
    for (const p of range(4)) clear(near[p]);
  }),
  find: kernel([near, 'i32'], (near, by) => {
    for (const p of range(4)) for (const k of range(1 + ((p + by) % 3))) append(near[p], (p + by * (k + 1)) % 4);
  }),
  overLists: kernel([near, z, loss, 'f64'], (near, z, loss, a) => {
    for (const [p, k] of active(near)) loss[0] += a * Math.sin(z[p] * (k + 2));
  }),
  overNear: kernel([near, z, loss, 'f64'], (near, z, loss, a) => {
    for (const [p, k] of active(near)) loss[0] += a * z[p] * Math.sin(z[near[p][k]] * (k + 1));
  }),
  counted: kernel([near, z, loss], (near, z, loss) => {
    for (const p of range(4)) loss[0] += z[p] * z[p] * length(near[p]);
  }),
  markOne: kernel([mark, 'i32'], (mark, at) => {
    mark[at] = 3 + at;
  }),
  unmark: kernel([mark, 'i32'], (mark, at) => {
    deactivate(mark, at);
  }),
  overMarks: kernel([mark, z, loss], (mark, z, loss) => {
    for (const p of active(mark)) loss[0] += mark[p] * z[p % 4] ** 3;
  }),
  /* Looks for what is active while it activates. */
  spread: kernel([x, w, 'f64'], (x, w, a) => {
    for (const p of active(x)) w[(p + 5) % 16] += a * Math.sin(x[p] + 0.4);
  }),
  overW: kernel([w, loss], (w, loss) => {
    for (const p of active(w)) loss[0] += w[p] * w[p];
  }),
  overV: kernel([v, loss], (v, loss) => {
    for (const p of active(v)) loss[0] += 3 * v[p] * Math.cos(v[p]);
  }),
  reset: kernel([loss], (loss) => {
    loss[0] = 0.0;
  }),
};

const make = (backend = wasm(), how: { debug?: boolean; threads?: number } = {}) =>
  made(program({ layout: tree, kernels, backend, differentiate: true, ...how }));
type Sim = Awaited<ReturnType<typeof make>>;

/**
 * Begins anew, runs something, and compares its gradient by `z` and by an argument with differences. What it computes in fields is
 * there afterwards, but where steps have begun with something else.
 */
const check = (sim: Sim, forward: (a: number) => void, state: readonly AnyField[] = []): void => {
  const values = [0.7, -0.4, 1.1, 0.3];
  const begin = (at: readonly number[]): void => {
    for (const f of [x, y, near, mark]) sim.field(f).clear();
    sim.field(z).fromArray(at);
    sim.field(x).set(3, 0.2);
    sim.field(mark).set(2, 1);
  };
  const value = (at: readonly number[], a: number): number => {
    begin(at);
    sim.run.reset();
    forward(a);
    return sim.field(loss).get(0);
  };
  const differences = (f: (t: number) => number): number => {
    const h = 1e-3;
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  const seen = (): unknown =>
    [x, y, near, mark].filter((f) => !state.includes(f)).map((f) => [...sim.field(f as typeof x).entries()]);
  const plain = value(values, 1.3);
  const after = seen();
  begin(values);
  const found = valueAndGradient(sim, () => (sim.run.reset(), forward(1.3)), { loss, wrt: { z } });
  expect(found.value).toBeCloseTo(plain, 12);
  expect(seen()).toEqual(after);
  values.forEach((_, k) => {
    const wanted = differences((t) => value(values.map((v, n) => (n === k ? v + t : v)), 1.3)); // prettier-ignore
    expectNear(found.gradient.z.get(k), wanted, `z[${k}]`);
  });
  const byA = Object.values(found.byArgument).reduce((sum, by) => sum + (by['a'] ?? 0), 0);
  expectNear(byA, differences((t) => value(values, 1.3 + t)), 'a'); // prettier-ignore
};

const expectNear = (found: number, wanted: number, what: string): void =>
  expect(Math.abs(found - wanted), `${what}: ${found}, by differences ${wanted}`).toBeLessThan(
    5e-9 * Math.max(1, Math.abs(wanted)),
  );

const refusal = (run: () => unknown): DiagnosticError['diagnostics'][0] => {
  try {
    run();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  }
  throw new Error('nothing was refused');
};

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))(
  'where later launches change the structure: %s',
  async (_name, backend) => {
    const { usable, reason } = await backend.probe();
    const can = it.skipIf(!usable && !process.env.CI);
    const cases: Readonly<Record<string, (sim: Sim, a: number) => void>> = {
      'cells of a pointer become active': (sim, a) => {
        sim.run.start();
        sim.run.overX(a);
        sim.run.setW(7);
        sim.run.overX(a);
        sim.run.setW(12);
        sim.run.overW();
      },
      'cells of a hash table become active': (sim, a) => {
        sim.run.start();
        sim.run.overY(a);
        for (const p of [100, -50, 7]) sim.run.setV(p);
        sim.run.overY(a);
        sim.run.overV();
      },
      'a list grows': (sim, a) => {
        for (const by of [1, 2, 3]) {
          sim.run.find(by);
          sim.run.overLists(a);
          sim.run.counted();
        }
      },
      'a list is emptied and filled anew': (sim, a) => {
        for (const by of [1, 2, 3]) {
          sim.run.empty();
          sim.run.find(by);
          sim.run.overNear(a);
          sim.run.counted();
        }
        sim.run.empty();
      },
      'cells are deactivated': (sim, a) => {
        sim.run.markOne(5);
        sim.run.overMarks();
        sim.run.unmark(5);
        sim.run.markOne(0);
        sim.run.overMarks();
        sim.run.unmark(2);
        sim.run.overMarks();
        sim.run.overX(a);
      },
    };
    can.each(Object.entries(cases))(`%s${usable ? '' : `: ${reason}`}`, async (_what, forward) => {
      for (const debug of [false, true]) {
        const sim = await make(backend, { debug });
        check(sim, (a) => forward(sim, a));
        sim.dispose();
      }
    });

    can.each(['all', 'root', 2] as const)('within steps that keep %s', async (keep) => {
      const sim = await make(backend);
      check(sim, (a) => {
        sim.run.start();
        steps(
          sim,
          5,
          (k) => {
            sim.run.setW(2 * k);
            sim.run.overX(a);
            if (k % 2 === 0) sim.run.empty();
            sim.run.find(k);
            sim.run.overLists(a);
            sim.run.counted();
          },
          { state: [loss], keep },
        );
        sim.run.overW();
      });
      sim.dispose();
    });

    can.each(['all', 'root', 2, 1] as const)(
      'within steps that keep %s, whose state is sparse and changed in place',
      async (keep) => {
        for (const threads of [1, 2]) {
          const sim = await make(backend, { threads });
          const forward = (a: number): void => {
            sim.run.start();
            steps(
              sim,
              7,
              (k) => {
                sim.run.setW(2 * k);
                sim.run.push(a);
                sim.run.setV(5 * k - 9);
                sim.run.swing(a);
                sim.run.markOne(k);
                if (k > 2) sim.run.unmark(k - 2);
                sim.run.overMarks();
                if (k % 3 === 1) sim.run.empty();
                sim.run.find(k);
                sim.run.overNear(a);
              },
              { state: [x, w, y, v, mark, near], keep },
            );
            sim.run.overX(a);
            sim.run.overY(a);
            sim.run.counted();
          };
          check(sim, forward, [x, w, y, v, mark, near]);
          sim.dispose();
        }
      },
    );

    can('steps begin again and again with what their state was', async () => {
      const sim = await make(backend);
      const gradients = ['all', 'root', 3] as const;
      for (const f of [x, y]) for (const p of [1, 3]) sim.field(f).set(p, 0.2 * p);
      const once = (keep: (typeof gradients)[number]) =>
        valueAndGradient(
          sim,
          () => {
            sim.run.reset();
            steps(sim, 9, (k) => void (sim.run.setW(k), sim.run.push(0.3), sim.run.setV(-k)), { state: [x, w, y, v], keep }); // prettier-ignore
            sim.run.overX(1.5);
          },
          { loss, wrt: { x } },
        );
      const found = gradients.map((keep) => {
        const { value, gradient } = once(keep);
        return [value, [...gradient.x.entries()]];
      });
      expect(found).toEqual(gradients.map(() => found[0]));
      expect([...sim.field(x).entries()].filter(([, value]) => value !== 0)).toEqual([
        [[1], 0.2],
        [[3], 0.2 * 3],
      ]);
      sim.dispose();
    });

    can('what became active is as it was, to the last bit', async () => {
      const sim = await make(backend);
      sim.field(x).set(3, 0.2);
      const { gradient } = valueAndGradient(
        sim,
        () => {
          sim.run.overX(2);
          sim.run.setBig(2n ** 60n + 1n, 12);
        },
        { loss, wrt: { x } },
      );
      expect(gradient.x.get(3)).toBeCloseTo(-8 * Math.sin(0.5), 12);
      expect(gradient.x.get(12)).toBe(0);
      expect(sim.field(big).toArray()[12]).toBe(2n ** 60n + 1n);
      sim.dispose();
    });

    can('what a launch looks for while it changes it is refused, and what the host deactivates', async () => {
      const sim = await make(backend);
      const by = { loss, wrt: { x } };
      sim.field(x).set(3, 0.2);
      const spread = (): void => (sim.run.spread(1.5), sim.run.overW());
      const mixed = refusal(() => valueAndGradient(sim, spread, by));
      expect(mixed.code).toBe('tape/structure');
      expect(mixed.message).toMatch(
        /^kernel 'spread' looks for what is active \(\S+\.test\.ts:\d+:\d+\), and activates \(\S+\.test\.ts:\d+:\d+\) element \[8\] of field '\w' meanwhile/,
      );
      expect(mixed.remedy).toBeTruthy();
      /* Nothing is activated that is active already. */
      sim.field(x).clear();
      for (const p of range(16)) sim.field(x).set(p, 0.1 * p);
      const { gradient } = valueAndGradient(sim, () => (sim.run.reset(), spread()), by);
      expect(gradient.x.get(3)).toBeCloseTo(2 * 1.5 * Math.sin(0.7) * 1.5 * Math.cos(0.7), 12);
      const gone = refusal(() =>
        valueAndGradient(
          sim,
          () => {
            sim.run.overX(2);
            hostStep(sim, {
              reads: [],
              writes: [w],
              forward: () => sim.field(w).deactivate(3),
              backward: () => undefined,
            });
          },
          by,
        ),
      );
      expect(gone.code).toBe('tape/structure');
      expect(gone.message).toMatch(/^a step of the host has deactivated element \[3\] of field '\w', and derivatives/);
      sim.dispose();
    });
  },
);
