import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, append, atomicAdd, clear, deactivate, kernel, length, range, vec } from '@filigree/lang/kernels';
import { hessianProduct, program, steps, valueAndGradient, valueAndTangent, type Program } from '@filigree/runtime';
import { dense, dynamic, fields, hash, i, ij, j, layout, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, loss, alive } = fields('f64', i, ['x', 'y', 'loss', 'alive']);
const { u, bins, weights, tiles } = fields('f64', ij, ['u', 'bins', 'weights', 'tiles']);
const { count, at } = fields('i32', i, ['count', 'at']);
const { pair } = fields('f64', ij, { pair: 2 });

const N = 12;
const points = Array.from({ length: N }, (_, p) => p);

const kernels = {
  empty: kernel([bins, tiles, alive, pair], (bins, tiles, alive, pair) => {
    clear(bins);
    clear(tiles);
    clear(alive);
    clear(pair);
  }),
  zero: kernel([count], (count) => {
    for (const p of active(count)) count[p] = 0;
  }),
  bin: kernel([x, bins], (x, bins) => {
    for (const p of active(x)) append(bins[Math.min(4, Math.max(0, Math.floor(x[p] * 5)))], x[p] * x[p]);
  }),
  overBins: kernel([bins, loss], (bins, loss) => {
    for (const c of range(5)) {
      let sum = 0.1 * c;
      for (const k of range(length(bins[c]))) sum += bins[c][k];
      loss[0] += sum * sum;
    }
  }),
  move: kernel([x, bins, 'f64'], (x, bins, dt) => {
    for (const p of active(x)) {
      let force = 0.0;
      const c = Math.min(4, Math.max(0, Math.floor(x[p] * 5)));
      for (const k of range(length(bins[c]))) force += Math.sin(x[p] * x[p] - bins[c][k]);
      x[p] += dt * force;
    }
  }),
  near: kernel([x, weights], (x, weights) => {
    for (const p of active(x)) {
      clear(weights[p]);
      for (const q of range(12)) {
        const d = Math.abs(x[p] - x[q]);
        if (q !== p && d < 0.3) append(weights[p], 100 * (0.3 - d) ** 4);
      }
    }
  }),
  overNear: kernel([weights, loss], (weights, loss) => {
    for (const p of range(12)) {
      let sum = 0.5;
      for (const k of range(length(weights[p]))) sum += weights[p][k];
      loss[0] += 1 / sum;
    }
  }),
  splat: kernel([x, tiles], (x, tiles) => {
    for (const p of active(x)) {
      const last = Math.min(7, Math.floor(8 * (x[p] + 0.15)));
      for (let t = Math.max(0, Math.floor(8 * (x[p] - 0.15))); t <= last; t++) append(tiles[t], x[p] * (t + 1));
      let r = x[p];
      while (r > 0.1) {
        append(tiles[Math.min(7, Math.floor(7 * r))], r * r);
        r *= 0.6;
      }
    }
  }),
  overTiles: kernel([tiles, loss], (tiles, loss) => {
    for (const [t, k] of active(tiles)) loss[0] += Math.sin(tiles[t][k] * (t + 1));
  }),
  take: kernel([x, alive, 'i32'], (x, alive, n) => {
    for (const p of range(n))
      if (x[p] > 0.3) {
        append(alive, x[p] ** 2);
        if (x[p] > 0.6) append(alive, -x[p] * p);
      }
  }),
  square: kernel([alive], (alive) => {
    for (const k of active(alive)) alive[k] = alive[k] * alive[k] + 0.1;
  }),
  overAlive: kernel([alive, loss], (alive, loss) => {
    for (const k of active(alive)) loss[0] += Math.sin(alive[k]);
  }),
  serially: kernel([x, alive], (x, alive) => {
    let s = 0.2;
    for (let p = 0; p < 12; p++) {
      s = s * 0.5 + x[p];
      if (s > 0.6) append(alive, s * s);
    }
  }),
  place: kernel([x, y, alive, at], (x, y, alive, at) => {
    for (const p of active(x)) {
      const k = append(alive, x[p] ** 3);
      at[p] = k;
      y[p] = alive[k] * x[p];
    }
  }),
  byPlace: kernel([y, alive, at, loss], (y, alive, at, loss) => {
    for (const p of active(y)) loss[0] += y[p] * y[p] + Math.cos(alive[at[p]] * (p + 1));
  }),
  pairs: kernel([x, pair], (x, pair) => {
    for (const p of range(12)) append(pair[p % 3], vec(x[p] * x[p], Math.sin(x[p])));
  }),
  overPairs: kernel([pair, loss], (pair, loss) => {
    for (const [c, k] of active(pair)) loss[0] += pair[c][k][0] * pair[c][k][1] ** 2 * (c + 1);
  }),
  counted: kernel([x, y, count], (x, y, count) => {
    for (const p of active(x)) if (x[p] > 0.4) y[atomicAdd(count, 0, 1)] = x[p] * x[p];
  }),
  overCounted: kernel([y, count, loss], (y, count, loss) => {
    for (const p of range(12)) if (p < count[0]) loss[0] += Math.sin(3 * y[p]);
  }),
};

type Sim = Program<typeof kernels>;

const trees = (around: Layout['nodes'][0]['kind'] | 'hash' | 'pointer'): Layout =>
  layout(
    dense(i, N).place(x, y, at),
    (around === 'pointer' ? dense(i, 5).pointer() : around === 'hash' ? hash(i, 64) : dense(i, 5)).dynamic(j, 32).place(bins), // prettier-ignore
    dense(i, N).dynamic(j, 16).place(weights),
    (around === 'hash' ? hash(i, 64) : dense(i, 8)).dynamic(j, 64).place(tiles),
    dynamic(i, 64).place(alive),
    (around === 'pointer' ? dense(i, 4).pointer() : dense(i, 4)).dynamic(j, 16).place(pair),
    dense(i, 4).place(count),
    dense(i, 1).place(loss),
  );

const valueAt = (p: number): number => 0.013 + ((p * 7919) % 97) / 97;

const begin = (sim: Sim): void => {
  for (const p of range(N)) sim.field(x).set(p, valueAt(p));
  sim.field(loss).fill(0);
  for (const f of [alive, bins, tiles, pair]) sim.field(f).clear();
};

/** Gradients beside central differences of five points. */
const check = (sim: Sim, forward: () => void): void => {
  begin(sim);
  const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
  const found = points.map((p) => gradient.x.get([p]));
  let most = 0;
  for (const p of range(N)) {
    const along = (t: number): number => {
      begin(sim);
      sim.field(x).set(p, valueAt(p) + t);
      forward();
      return sim.field(loss).get(0);
    };
    const h = 1e-4;
    const by = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h);
    most = Math.max(most, Math.abs(by));
    expect(Math.abs(found[p] - by), `x[${p}]: ${found[p]}, by differences ${by}`).toBeLessThan(
      1e-6 * Math.max(1, Math.abs(by)),
    );
  }
  expect(most).toBeGreaterThan(0.1);
};

const programs: Readonly<Record<string, (sim: Sim) => void>> = {
  'in bins': ({ run }) => (run.bin(), run.overBins()),
  'in bins that are emptied and filled anew': ({ run }) => {
    for (const _ of range(3)) {
      run.empty();
      run.bin();
      run.move(0.1);
    }
    run.overBins();
    run.empty();
  },
  'in lists of the iteration, in a loop': ({ run }) => (run.near(), run.overNear(), run.near(), run.overNear()),
  'in loops of which nobody knows how long they are': ({ run }) => {
    for (const _ of range(2)) {
      run.splat();
      run.overTiles();
    }
  },
  'in branches, up to an argument': ({ run }) => {
    run.take(N);
    run.square();
    run.overAlive();
    run.take(7);
    run.overAlive();
  },
  'in serial code': ({ run }) => (run.serially(), run.overAlive()),
  'where the place is used': ({ run }) => (run.place(), run.byPlace()),
  'of several components': ({ run }) => (run.pairs(), run.overPairs(), run.empty(), run.pairs(), run.overPairs()),
  'where a counter says': ({ run }) => (run.zero(), run.counted(), run.overCounted()),
};

describe.each([cpp(), wasm()].map((b) => [b.name, b] as const))('what is appended: %s', async (_name, backend) => {
  const { usable, reason } = await backend.probe();
  const can = it.skipIf(!usable && !process.env.CI);
  const why = usable ? '' : `: ${reason}`;
  const cases = [
    ['dense', 1, false],
    ['pointer', 2, false],
    ['hash', 2, true],
  ] as const;
  can.each(cases)(
    `is differentiated in lists below %s, on %i threads, queued: %s${why}`,
    async (around, threads, queue) => {
      const sim = await made(program({ layout: trees(around), kernels, backend, threads, queue, differentiate: true }));
      for (const forward of Object.values(programs)) check(sim, () => forward(sim));
      sim.dispose();
    },
  );

  can(`is checked in debug mode${why}`, async () => {
    const sim = await made(program({ layout: trees('pointer'), kernels, backend, debug: true, differentiate: true }));
    for (const forward of Object.values(programs)) check(sim, () => forward(sim));
    sim.dispose();
  });

  can.each(['all', 'root', 2] as const)(`within steps that keep %s${why}`, async (keep) => {
    const sim = await made(program({ layout: trees('dense'), kernels, backend, threads: 2, differentiate: true }));
    check(sim, () => {
      sim.run.bin();
      sim.run.overBins();
      const step = () => {
        sim.run.empty();
        sim.run.bin();
        sim.run.move(0.1);
        sim.run.take(N);
        sim.run.square();
        sim.run.overAlive();
      };
      steps(sim, 5, step, { state: [x, loss, bins, alive], keep });
    });
    sim.dispose();
  });

  can(`has tangents and second derivatives${why}`, async () => {
    const sim = await made(program({ layout: trees('dense'), kernels, backend, hessianProducts: true }));
    for (const forward of Object.values(programs)) {
      const gradientAt = (t: number): readonly number[] => {
        begin(sim);
        for (const p of range(N)) sim.field(x).set(p, valueAt(p) + t * Math.cos(p));
        const { gradient, product } = hessianProduct(sim, () => forward(sim), {
          loss,
          wrt: { x },
          along: (of) => points.forEach((p) => of(x).set(p, Math.cos(p))),
        });
        return points.flatMap((p) => [gradient.x.get([p]), product.x.get([p])]);
      };
      const [here, before, after] = [0, -1e-5, 1e-5].map(gradientAt);
      for (const p of range(N))
        expect(Math.abs(here[2 * p + 1] - (after[2 * p] - before[2 * p]) / 2e-5)).toBeLessThan(
          2e-5 * Math.max(1, Math.abs(here[2 * p + 1])),
        );
      begin(sim);
      const { tangent } = valueAndTangent(sim, () => forward(sim), {
        of: { loss },
        along: (of) => points.forEach((p) => of(x).set(p, Math.cos(p))),
      });
      const slope = points.reduce((sum, p) => sum + here[2 * p] * Math.cos(p), 0);
      expect(tangent.loss.get(0)).toBeCloseTo(slope, 8);
    }
    sim.dispose();
  });

  can(`by threads at once, in steps that run again, is as on one thread${why}`, async () => {
    const n = 20_000;
    const bin = kernel([x, bins], (x, bins) => {
      for (const p of active(x)) append(bins[Math.min(999, Math.max(0, Math.floor(x[p] * 1000)))], x[p]);
    });
    const push = kernel([x, bins, loss], (x, bins, loss) => {
      for (const p of active(x)) {
        let sum = 0.0;
        const c = Math.min(999, Math.max(0, Math.floor(x[p] * 1000)));
        for (const k of range(length(bins[c]))) sum += Math.sin(1000 * (x[p] - bins[c][k]));
        x[p] += 1e-6 * sum;
        loss[0] += x[p] * x[p] * sum;
      }
    });
    const empty = kernel([bins], (bins) => clear(bins));
    const gradients: Float64Array[] = [];
    for (const threads of [1, 2]) {
      const sim = await made(
        program({
          layout: layout(dense(i, n).place(x), dense(i, 1000).dynamic(j, 128).place(bins), dense(i, 1).place(loss)),
          kernels: { bin, push, empty },
          backend,
          threads,
          differentiate: true,
        }),
      );
      sim.field(x).fromArray(Float64Array.from({ length: n }, (_, p) => (p * 0.6180339887) % 1));
      const forward = () => {
        const step = () => void (sim.run.empty(), sim.run.bin(), sim.run.push());
        steps(sim, 6, step, { state: [x, bins, loss], keep: 'root' });
      };
      gradients.push(valueAndGradient(sim, forward, { loss, wrt: { x } }).gradient.x.toArray() as Float64Array);
      sim.dispose();
    }
    expect(gradients[0].reduce((most, g) => Math.max(most, Math.abs(g)), 0)).toBeGreaterThan(1);
    expect(gradients[1].every((g, p) => Math.abs(g - gradients[0][p]) < 1e-7)).toBe(true);
  });

  can(
    `over elements of a hash table once in each iteration, and of others as often as there is room${why}`,
    async () => {
      const once = kernel([u, alive], (u, alive) => {
        for (const [a, b] of active(u)) if (u[a][b] > 0.2) append(alive, u[a][b] * (a - 2 * b));
      });
      const twice = kernel([u, alive], (u, alive) => {
        for (const [a, b] of active(u)) for (const k of range(2)) append(alive, k * u[a][b]);
      });
      const often = kernel([u, alive], (u, alive) => {
        for (const [a, b] of active(u)) {
          let k = 0;
          while (k < 40_000) {
            if (k % 1000 === 0) append(alive, u[a][b]);
            k++;
          }
          while (k < 80_000) {
            if (k % 1000 < 0) append(alive, u[a][b]);
            k++;
          }
        }
      });
      const over = kernel([alive, loss], (alive, loss) => {
        for (const k of active(alive)) loss[0] += alive[k] * alive[k];
      });
      const lists = [dynamic(i, 256).place(alive), dense(i, 1).place(loss)] as const;
      const sparse = await made(
        program({ layout: layout(hash(ij, 64).place(u), ...lists), kernels: { once, twice, over }, backend, differentiate: true }), // prettier-ignore
      );
      sparse.field(u).set([-5, 7], 0.5);
      sparse.field(u).set([100, 3], 0.25);
      sparse.field(u).set([1, 1], 0.1);
      const { gradient } = valueAndGradient(sparse, () => (sparse.run.once(), sparse.run.over()), { loss, wrt: { u } });
      expect([[-5, 7], [100, 3], [1, 1]].map((p) => gradient.u.get(p))).toEqual([361, 4418, 0]); // prettier-ignore
      expect(() =>
        valueAndGradient(sparse, () => (sparse.run.twice(), sparse.run.over()), { loss, wrt: { u } }),
      ).toThrow(/adjoint\/lost.* needs the place in a list that an append has returned/);
      sparse.dispose();
      const plain = await made(
        program({ layout: layout(dense(ij, [1, 1]).place(u), ...lists), kernels: { often, over }, backend, differentiate: true }), // prettier-ignore
      );
      plain.field(u).set([0, 0], 0.5);
      const found = valueAndGradient(plain, () => (plain.run.often(), plain.run.over()), { loss, wrt: { u } });
      expect(found.gradient.u.get([0, 0])).toBeCloseTo(40, 10);
      plain.dispose();
    },
  );

  can(`more often than there is room for places is reported${why}`, async () => {
    const fill = kernel([u, alive, 'i32'], (u, alive, n) => {
      for (const p of range(n)) append(alive, u[0][0] * p);
    });
    const over = kernel([alive, loss], (alive, loss) => {
      for (const k of active(alive)) loss[0] += alive[k];
    });
    const sim = await made(
      program({
        layout: layout(dense(ij, [1, 1]).place(u), dynamic(i, 70_000).place(alive), dense(i, 1).place(loss)),
        kernels: { fill, over },
        backend,
        differentiate: [u, alive, loss],
      }),
    );
    sim.field(u).set([0, 0], 0.5);
    const { gradient } = valueAndGradient(sim, () => (sim.run.fill(100), sim.run.over()), { loss, wrt: { u } });
    expect(gradient.u.get([0, 0])).toBe(4950);
    expect(() => valueAndGradient(sim, () => (sim.run.fill(66_000), sim.run.over()), { loss, wrt: { u } })).toThrow(
      /tape\/history.*appended more often than there is room/,
    );
    sim.dispose();
  });

  can(`is refused where derivatives would lie in cells that are gone${why}`, async () => {
    const drop = kernel([u], (u) => {
      for (const a of range(1, 3)) deactivate(u, a, a);
    });
    const clearAll = kernel([u], (u) => clear(u));
    const over = kernel([u, loss], (u, loss) => {
      for (const [a, b] of active(u)) loss[0] += u[a][b] ** 2;
    });
    const sim = await made(
      program({
        layout: layout(dense(ij, 4).pointer().place(u), dense(i, 1).place(loss)),
        kernels: { drop, clearAll, over },
        backend,
        differentiate: true,
      }),
    );
    const set = () => {
      for (const a of range(3)) sim.field(u).set([a, a], a + 1);
      sim.field(loss).fill(0);
    };
    const by = (forward: () => void) => {
      set();
      const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { u } });
      return [0, 1, 2].map((a) => gradient.u.get([a, a]));
    };
    /* What is cleared counts no more. */
    expect(by(() => (sim.run.over(), sim.run.over()))).toEqual([4, 8, 12]);
    expect(() => by(() => (sim.run.over(), sim.run.clearAll()))).toThrow(DiagnosticError);
    expect(() => by(() => (sim.run.over(), sim.run.clearAll()))).toThrow(/tape\/structure/);
    expect(
      by(() => steps(sim, 2, () => void (sim.run.over(), sim.run.drop()), { state: [u, loss], keep: 'root' })),
    ).toEqual([4, 4, 6]);
    sim.dispose();
  });

  can.each(['bitmasked', 'pointer', 'hash'] as const)(
    `leaves out elements that their own loop deactivates, of %s${why}`,
    async (around) => {
      const move = kernel([x, y, 'f64'], (x, y, dt) => {
        for (const p of active(x)) x[p] += dt * y[p] * x[p];
      });
      const leave = kernel([x], (x) => {
        for (const p of active(x)) if (x[p] > 1) deactivate(x, p);
      });
      const over = kernel([x, loss], (x, loss) => {
        for (const p of active(x)) loss[0] += x[p] * x[p] * (p + 1);
      });
      const cells = around === 'hash' ? hash(i, 64) : around === 'pointer' ? dense(i, 8).pointer() : dense(i, 8).bitmasked(); // prettier-ignore
      const sim = await made(
        program({ layout: layout(cells.place(x, y), dense(i, 1).place(loss)), kernels: { move, leave, over }, backend, differentiate: true }), // prettier-ignore
      );
      /* x grows by 1 + y / 10 in each step, and counts until it is larger than 1. */
      const wanted = (p: number): number => {
        const by = 1 + 0.1 * (0.5 + p / 40);
        let [at, slope] = [0.3 + p / 10, 0];
        for (let k = 0, d = by; k < 5; k++, d *= by) {
          at *= by;
          if (at > 1) break;
          slope += 2 * (p + 1) * at * d;
        }
        return slope;
      };
      for (const keep of [undefined, 'all', 'root'] as const) {
        sim.field(x).clear();
        for (let p = 0; p < 8; p++) {
          sim.field(x).set(p, 0.3 + p / 10);
          sim.field(y).set(p, 0.5 + p / 40);
        }
        sim.field(loss).fill(0);
        const step = () => void (sim.run.move(0.1), sim.run.leave(), sim.run.over());
        const forward = () => {
          if (keep) steps(sim, 5, step, { state: [x, y, loss], keep });
          else for (const _ of range(5)) step();
        };
        if (keep) {
          const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
          for (let p = 0; p < 8; p++) expect(gradient.x.get([p])).toBeCloseTo(wanted(p), 10);
        } else expect(() => valueAndGradient(sim, forward, { loss, wrt: { x } })).toThrow(/tape\/structure/);
      }
      sim.dispose();
    },
  );
});
