import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, atomicMax, kernel, math, range, serially, type KernelDef } from '@filigree/lang/kernels';
import { program, steps, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { dense, dynamic, fields, i, ij, layout, type Layout } from '@filigree/sparse/fields';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, v, y, loss } = fields('f64', i, ['x', 'v', 'y', 'loss']);
const { n } = fields('i32', i, ['n']);
const { u, w } = fields('f64', ij, ['u', 'w']);
const { g } = fields('f64', i, { g: 2 });
const all = [x, v, y, g, loss];

const total = kernel([x, v, y, g, loss], (x, v, y, g, loss) => {
  loss[0] = 0.0;
  for (const p of active(x))
    loss[0] += (p + 1) * (x[p] * x[p] + math.sin(v[p]) + y[p] * v[p] + g[p][0] * x[p] + math.cos(g[p][1]));
});

/** What people write in place, over whatever is active. */
const everywhere: Readonly<Record<string, KernelDef>> = {
  Euler: kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) x[p] = x[p] + dt * v[p];
  }),
  'damping by a number': kernel([v, 'f64'], (v, dt) => {
    for (const p of active(v)) v[p] *= 1 - dt;
  }),
  'semi-implicit Euler of a pendulum': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      v[p] -= dt * math.sin(x[p]);
      x[p] += dt * v[p];
    }
  }),
  'the same, four times in one launch': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x))
      for (const _ of range(4)) {
        v[p] -= dt * math.sin(x[p]);
        x[p] += dt * v[p];
      }
  }),
  'a square': kernel([x, 'f64'], (x, dt) => {
    for (const p of active(x)) x[p] = x[p] * x[p] * dt;
  }),
  'two updates of one element': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      x[p] *= v[p];
      x[p] = math.sin(x[p]) + dt;
    }
  }),
  'a wall that throws back': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      x[p] += dt * v[p];
      if (x[p] < 0.2) {
        x[p] = 0.4 - x[p];
        v[p] = -v[p] * x[p];
      }
    }
  }),
  'a product by a serial loop': kernel([x, y, 'f64'], (x, y, dt) => {
    for (const p of active(x)) {
      y[p] = 1.0;
      for (const k of range(3)) y[p] *= x[p] + dt * k;
    }
  }),
  'a loop until it is large': kernel([x, y, 'f64'], (x, y, dt) => {
    for (const p of active(x)) {
      while (y[p] < 3.0) y[p] = y[p] * (1.2 + dt * x[p] * x[p]) + 0.1;
      y[p] *= y[p];
    }
  }),
  'components of vectors': kernel([g, x, 'f64'], (g, x, dt) => {
    for (const p of active(x)) {
      g[p] = g[p].div(g[p].norm()).add(x[p]);
      g[p][0] *= x[p];
      x[p] += dt * g[p].dot(g[p]);
    }
  }),
  'what is there before it is known where it goes': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      const s = math.sin(x[p]) * dt;
      const q = p + 0;
      v[q] = s;
      x[p] = v[q] * v[q] + x[p];
    }
  }),
  'an exchange': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      const t = x[p];
      x[p] = v[p] * v[p];
      v[p] = t * t * dt;
    }
  }),
  'two loops, each of which changes one of two': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) v[p] += dt * math.sin(x[p]);
    for (const p of active(x)) x[p] += dt * v[p];
  }),
  'a floor for each element': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      atomicMax(x, p, 0.6);
      v[p] += dt * x[p];
    }
  }),
  'a floor alone': kernel([v, y, 'f64'], (v, y, dt) => {
    for (const p of active(v)) {
      atomicMax(v, p, 0.3);
      y[p] += dt;
    }
  }),
  'a count beside it': kernel([x, n, 'f64'], (x, n, dt) => {
    for (const p of active(x)) {
      n[p] = 2;
      n[p] += 1;
      x[p] = x[p] ** 2 * n[p] * dt;
    }
  }),
  'what an element is at most': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const p of active(x)) {
      x[p] = Math.min(x[p], v[p]);
      x[p] = Math.max(x[p] * x[p], dt);
    }
  }),
};

/** Loops whose iterations read what earlier ones wrote. */
const inOrder: Readonly<Record<string, KernelDef>> = {
  'elements by numbers, one of which comes late': kernel([x, v, y, 'f64'], (x, v, y, dt) => {
    const t = x[4] * dt;
    v[1] = math.sin(x[0]) * t;
    x[3] = t * 0.9;
    x[4] = math.sin(v[1]) * t;
    x[2] = math.tanh(math.sin(x[2])) + y[2];
  }),
  'a recurrence': kernel([x, y, v, 'f64'], (x, y, v, dt) => {
    y[0] = x[0] * dt;
    for (const k of serially(range(1, 5))) y[k] = math.sin(y[k - 1]) * x[k] + v[k];
  }),
  'a recurrence backwards': kernel([x, y, v, 'f64'], (x, y, v, dt) => {
    y[5] = x[5] * dt;
    for (const k of serially(range(5))) y[4 - k] = y[5 - k] * y[5 - k] * x[4 - k] + v[k];
  }),
  'Gauss and Seidel': kernel([x, v, 'f64'], (x, v, dt) => {
    for (const k of serially(range(5))) x[k + 1] = x[k + 1] - dt * x[k] * v[k];
  }),
  'elements that may lie outside': kernel([x, y, v, 'i32', 'f64'], (x, y, v, by, dt) => {
    for (const p of range(6)) {
      x[p + by] = v[p] * v[p];
      y[p] = x[p + by] * x[p + by] * v[p] * dt;
    }
  }),
};

const layouts: Readonly<Record<string, { readonly make: () => Layout; readonly at: readonly number[] }>> = {
  dense: { make: () => layout(dense(i, 6).place(x, v, y, n, g), dense(i, 1).place(loss)), at: [0, 1, 2, 3, 4, 5] },
  pointer: {
    make: () => layout(dense(i, 8).pointer().dense(i, 2).place(x, v, y, n, g), dense(i, 1).place(loss)),
    at: [2, 3, 8, 9],
  },
  list: { make: () => layout(dynamic(i, 16).place(x, v, y, n, g), dense(i, 1).place(loss)), at: [0, 1, 2, 3] },
};

const targets = [
  ['dense', 'wasm', 1, wasm()],
  ['dense', 'cpp', 2, cpp()],
  ['pointer', 'wasm', 2, wasm()],
  ['pointer', 'cpp', 1, cpp()],
  ['list', 'cpp', 2, cpp()],
  ['list', 'wasm', 1, wasm()],
] as const;

/** Sides of a direction, and where it begins. */
const start = (q: number): readonly number[] => [0.3 + 0.11 * q, 0.9 - 0.27 * q, 0.4 + 0.07 * q, 0.5 + 0.1 * q, -0.6];
const way = (q: number): readonly number[] => [0.7 - 0.2 * q, 0.4 + 0.1 * q, -0.5, 0.3 * q, 0.8];

type Runs = Readonly<Record<string, (...args: readonly number[]) => unknown>>;
type Sim = Awaited<ReturnType<typeof opened>>;
const opened = (at: Layout, kernels: Readonly<Record<string, KernelDef>>, rest: object) =>
  made(program({ layout: at, kernels: { ...kernels, total }, fastMath: false, ...rest } as never)) as Promise<
    Parameters<typeof valueAndGradient>[0] &
      Parameters<typeof valueAndTangent>[0] & { readonly run: Runs; readonly dispose: () => void }
  >;

describe.each(targets)('what is changed in place: %s, %s, threads: %i', (name, _backend, threads, backend) => {
  const { make, at } = layouts[name];
  const kernels = { ...everywhere, ...(name === 'dense' ? inOrder : {}) };
  const byNumber = Object.fromEntries(Object.values(kernels).map((k, m) => [`k${m}`, k]));
  let [sim, moved]: Sim[] = [];
  beforeAll(async () => {
    const tree = make();
    sim = await opened(tree, byNumber, { backend, threads, differentiate: all });
    moved = await opened(tree, byNumber, { backend, threads, tangents: all });
  }, 120_000);
  afterAll(() => [sim, moved].forEach((s) => s.dispose()));

  it.each(Object.keys(kernels).map((what, m) => [what, `k${m}`] as const))('%s', (what, k) => {
    const outside = what === 'elements that may lie outside' ? [1] : [];
    const set = (s: Sim, t: number): void =>
      at.forEach((q) => {
        const [a, b, c, d, e] = start(q).map((u, m) => u + t * way(q)[m]);
        for (const [f, u] of [[x, a], [v, b], [y, c]] as const) s.field(f).set(q, u); // prettier-ignore
        s.field(n).set(q, 0);
        s.field(g).set(q, [d, e]);
      });
    const launch = (s: Sim, t: number): void => {
      s.run[k](...outside, 0.3 + 0.2 * t);
      s.run.total();
    };
    const along = (t: number): number => {
      set(sim, t);
      launch(sim, t);
      return sim.field(loss).get(0);
    };
    const value = along(0);
    const left = at.map((q) => [sim.field(x).get(q), sim.field(v).get(q)]);
    set(sim, 0);
    const found = valueAndGradient(sim, () => launch(sim, 0), { loss, wrt: { x, v, y, g } });
    expect(found.value).toBe(value);
    /* What the launches left is there when all is done. */
    expect(at.map((q) => [sim.field(x).get(q), sim.field(v).get(q)])).toEqual(left);
    const product = at.reduce(
      (sum, q) =>
        sum +
        way(q).reduce((all, w, m) => {
          const { x, v, y, g } = found.gradient;
          return all + w * [x.get(q), v.get(q), y.get(q), ...g.get(q)][m];
        }, 0),
      0.2 * (found.byArgument[k]?.dt ?? 0),
    );
    set(moved, 0);
    const { tangent } = valueAndTangent(moved, () => launch(moved, 0), {
      of: { loss },
      along: (t) =>
        at.forEach((q) => {
          const [a, b, c, d, e] = way(q);
          t(x).set(q, a);
          t(v).set(q, b);
          t(y).set(q, c);
          t(g).set(q, [d, e]);
        }),
      arguments: { [k]: { dt: 0.2 } },
    });
    const forward = tangent.loss.get(0);
    expect(Math.abs(product - forward)).toBeLessThan(1e-9 * Math.max(1, Math.abs(forward)));
    const h = 1e-4;
    const expected = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
    expect(Math.abs(product - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
  });
});

describe('launches that overwrite', () => {
  const square = kernel([x], (x) => {
    for (const p of range(6)) x[p] = x[p] * x[p];
  });
  const add = kernel([x, y], (x, y) => {
    for (const p of range(6)) y[p] += math.sin(x[p]);
  });
  const half = kernel([x], (x) => {
    for (const p of range(6)) x[p] *= 0.5;
  });
  /* Needs what it leaves. */
  const settle = kernel([x, y], (x, y) => {
    for (const p of range(6)) {
      x[p] = math.sin(y[p]);
      x[p] = x[p] * 2;
      y[p] += x[p] * x[p];
    }
  });
  const row = kernel([u, w, 'i32'], (u, w, t) => {
    for (const p of range(6)) w[t][p] = u[t][p] * u[t][p];
    for (const p of range(6)) u[t + 1][p] = math.sin(w[t][p]) + u[t][p];
  });
  const sum = kernel([u, loss, 'i32'], (u, loss, t) => {
    loss[0] = 0.0;
    for (const p of range(6)) loss[0] += (p + 1) * u[t][p];
  });
  const make = (debug = false): Promise<Sim> =>
    opened(layouts.dense.make(), { square, add, half, settle }, { backend: wasm(), differentiate: all, debug });
  const set = (s: Sim, first: readonly number[]): void =>
    first.forEach((u, p) => {
      s.field(x).set(p, u);
      s.field(y).set(p, 0);
    });
  const first = [0.9, -0.7, 1.1, 0.3, -0.2, 0.6];
  const check = (s: Sim, forward: () => void): void => {
    set(s, first);
    const { gradient } = valueAndGradient(s, forward, { loss, wrt: { x } });
    const found = first.map((_, p) => gradient.x.get(p));
    first.forEach((_, p) => {
      const at = (t: number): number => {
        set(s, first.map((u, q) => (p === q ? u + t : u))); // prettier-ignore
        forward();
        return s.field(loss).get(0);
      };
      const h = 1e-5;
      expect(Math.abs(found[p] - (at(h) - at(-h)) / (2 * h))).toBeLessThan(1e-6);
    });
  };

  it.each([false, true])(
    'put back what they kept before the derivatives of those before them: debug %s',
    async (debug) => {
      const s = await make(debug);
      check(s, () => {
        s.run.add();
        s.run.square();
        s.run.add();
        s.run.square();
        s.run.total();
      });
      s.dispose();
    },
  );

  it('keep what an earlier one needs, though they need nothing of it', async () => {
    const s = await make();
    check(s, () => void (s.run.add(), s.run.half(), s.run.square(), s.run.total()));
    s.dispose();
  });

  it('are seen also where another kernel needed what they find', async () => {
    const s = await make();
    check(s, () => {
      s.run.add();
      s.run.settle();
      s.run.settle();
      s.run.total();
    });
    s.dispose();
  });

  it('keep nothing where arguments tell that they overwrite nothing that is needed', async () => {
    const s = await made(
      program({
        layout: layout(dense(ij, [9, 6]).place(u, w), dense(i, 1).place(loss)),
        kernels: { row, sum },
        backend: wasm(),
        differentiate: [u, w, loss],
      }),
    );
    const tape = (order: readonly number[]) => {
      first.forEach((x, p) => s.field(u).set([0, p], x));
      const forward = (): void => {
        for (const t of order) s.run.row(t);
        s.run.sum(8);
      };
      return valueAndGradient(s, forward, { loss, wrt: { u } });
    };
    const once = tape([0, 1, 2, 3, 4, 5, 6, 7]);
    const bySteps = first.map((_, p) => once.gradient.u.get([0, p]));
    /* The arguments: nine numbers. */
    expect(once.tapeBytes).toBe(9 * 8);
    /* The last row again, which finds the same: `w` is copied once. */
    const again = tape([0, 1, 2, 3, 4, 5, 6, 7, 7]);
    expect(again.tapeBytes).toBe(10 * 8 + 9 * 6 * 8);
    expect(first.map((_, p) => again.gradient.u.get([0, p]))).toEqual(bySteps);
    s.dispose();
  });

  /* What is kept, and which adjoints are launched at once, is known from the recordings before while launches are the same. */
  it('as programs do which recorded nothing else before', async () => {
    const opened = () =>
      made(
        program({
          layout: layout(dense(ij, [9, 6]).place(u, w), dense(i, 1).place(loss)),
          kernels: { row, sum },
          backend: wasm(),
          differentiate: [u, w, loss],
        }),
      );
    const found = (s: Awaited<ReturnType<typeof opened>>, order: readonly number[]): readonly number[] => {
      first.forEach((x, p) => s.field(u).set([0, p], x));
      const forward = (): void => {
        for (const t of order) s.run.row(t);
        s.run.sum(8);
      };
      const { value, gradient, tapeBytes } = valueAndGradient(s, forward, { loss, wrt: { u } });
      return [value, tapeBytes, ...first.map((_, p) => gradient.u.get([0, p]))];
    };
    const [plain, twice, early, short] = [
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 1, 2, 3, 4, 5, 6, 7, 7],
      [0, 1, 1, 2, 3, 4, 5, 6, 7, 7],
      [0, 1, 2, 3],
    ];
    const s = await opened();
    for (const order of [plain, plain, plain, twice, twice, twice, plain, early, early, short, twice, short, early]) {
      const alone = await opened();
      if (order === short) [s, alone].forEach((sim) => first.forEach((x, p) => sim.field(u).set([8, p], x)));
      expect(found(s, order)).toEqual(found(alone, order));
      alone.dispose();
    }
    s.dispose();
  });

  it.each(['all', 'root', 3] as const)('in steps: %s', async (keep) => {
    const s = await make();
    check(s, () => {
      steps(s as never, 9, () => void (s.run.add(), s.run.half(), s.run.square(), s.run.add()), {
        state: [x, y],
        keep,
      });
      s.run.total();
    });
    s.dispose();
  });
});
