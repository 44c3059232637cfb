import { cpp } from '@filigree/backend-cpp';
import { active, cache, kernel, math } from '@filigree/lang/kernels';
import { fixed, float, packed } from '@filigree/quant';
import {
  bitStruct,
  dense,
  fields,
  hash,
  i,
  ij,
  layout,
  stored,
  type Branch,
  type Placeable,
} from '@filigree/sparse/fields';
import { program, valueAndGradient } from 'filigree';
import { describe, expect, it } from 'vitest';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';
const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

const { x, v, y } = fields('f64', i, { x: 2, v: 2, y: 2 });
const { loss } = fields('f64', i, ['loss']);

const step = kernel([x, v, y, 'f64'], (x, v, y, dt) => {
  for (const p of active(x)) {
    const e = math.sin(x[p][0] * 2) + math.exp(x[p][1]);
    if (e > 1.2) y[p] = v[p].add(x[p].mul(dt * e));
    else y[p] = v[p].mul(e);
  }
});
const total = kernel([y, loss], (y, loss) => {
  for (const p of active(y)) loss[0] += y[p].dot(y[p]) * (p + 1);
});

type Pair = readonly [number, number];

/** What `step` computes, from what it loads. */
const stepped = ([a, b]: Pair, [c, d]: Pair, dt: number): Pair => {
  const e = Math.sin(2 * a) + Math.exp(b);
  return e > 1.2 ? [c + a * dt * e, d + b * dt * e] : [c * e, d * e];
};

const places: Readonly<Record<string, readonly Placeable[]>> = {
  'fixed point, two in a word': [x, v, y].flatMap((f) => [...packed(32, fixed(14, 4), f)]),
  'a shared exponent': [x, v, y].map((f) => bitStruct(32, stored(f, float(5, 11, { shared: f.name })))),
  'words of their own': [x, v, y].map((f) => stored(f, float(6, 9))),
};
const nodes: readonly ((all: readonly Placeable[]) => Branch)[] = [
  (all) => dense(i, 8).place(...all),
  (all) =>
    hash(i, 4)
      .dense(i, 2)
      .place(...all),
];
const cases = backends.flatMap((backend) =>
  Object.entries(places).flatMap(([name, all]) => nodes.map((under) => [name, backend, under(all)] as const)),
);

describe('gradients of kernels on quantised fields', () => {
  it.each(cases)('go straight through rounding, in full precision: %s, %s', async (_, backend, branch) => {
    const sim = await program({
      layout: layout(branch, dense(i, 1).place(loss)),
      kernels: { step, total },
      fields: { x, v, y, loss },
      backend,
      differentiate: true,
    });
    const dt = 0.7;
    const at = [0, 1, 3, 5];
    for (const p of at) {
      sim.fields.x.set([p], [0.31 + 0.2 * p, 0.53 - 0.3 * p]);
      sim.fields.v.set([p], [0.13 * p, 1.07 - 0.3 * p]);
    }
    const { gradient } = valueAndGradient(
      sim,
      () => {
        sim.run.step(dt);
        sim.run.total();
      },
      { loss, wrt: { x, v } },
    );
    const pairOf = (f: 'x' | 'v' | 'y', p: number): Pair => [...(sim.fields[f].get([p]) as Iterable<number>)] as never;
    for (const p of at) {
      const [xs, vs, ys] = [pairOf('x', p), pairOf('v', p), pairOf('y', p)];
      const byY = ys.map((s) => 2 * s * (p + 1));
      const h = 1e-6;
      const slope = (of: (by: number) => Pair): number => {
        const [up, down] = [of(h), of(-h)];
        return byY.reduce((sum, s, k) => sum + (s * (up[k] - down[k])) / (2 * h), 0);
      };
      const moved = (pair: Pair, k: number, by: number): Pair => pair.map((s, c) => (c === k ? s + by : s)) as never;
      for (const k of [0, 1]) {
        expect(gradient.x.get([p])[k]).toBeCloseTo(
          slope((by) => stepped(moved(xs, k, by), vs, dt)),
          6,
        );
        expect(gradient.v.get([p])[k]).toBeCloseTo(
          slope((by) => stepped(xs, moved(vs, k, by), dt)),
          6,
        );
      }
    }
    sim.dispose();
  });
});

describe('gradients of kernels with scratchpads on quantised fields', () => {
  const n = 8;
  const { u, w, sum } = { ...fields('f64', ij, ['u', 'w']), ...fields('f64', i, ['sum']) };
  const stencil = kernel([u, w], { scope: { active, cache } }, (u, w) => {
    for (const [i, j] of active(w)) {
      cache(u);
      w[i][j] = u[i][j] * (u[i - 1][j] + 2 * u[i][j + 1]) + math.sin(u[i + 1][j - 1]);
    }
  });
  const all = kernel([w, sum], { scope: { active } }, (w, sum) => {
    for (const [i, j] of active(w)) sum[0] += w[i][j] * w[i][j] * (1 + 0.125 * i);
  });
  /* The sum, linear in what is stored of w, from what the kernels load; outside of the field there are zeros. */
  const numberOf = (u: readonly number[], w: readonly number[]): number => {
    const at = (i: number, j: number): number => (i < 0 || j < 0 || i >= n || j >= n ? 0 : u[n * i + j]);
    let sum = 0;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++) {
        const made = at(i, j) * (at(i - 1, j) + 2 * at(i, j + 1)) + Math.sin(at(i + 1, j - 1));
        sum += 2 * w[n * i + j] * made * (1 + 0.125 * i);
      }
    return sum;
  };
  const ways: Readonly<Record<string, readonly Placeable[]>> = {
    'one word for both': [bitStruct(64, stored(u, fixed(24, 4)), stored(w, fixed(30, 32)))],
    'words of their own': [stored(u, float(6, 17)), stored(w, fixed(32, 32))],
  };

  it.each(backends.flatMap((backend) => Object.keys(ways).map((way) => [way, backend] as const)))(
    '%s, on %s',
    async (way, backend) => {
      const sim = await program({
        layout: layout(
          dense(ij, n / 4)
            .dense(ij, 4)
            .place(...ways[way]),
          dense(i, 1).place(sum),
        ),
        kernels: { stencil, all },
        fields: { u, w, sum },
        backend,
        differentiate: true,
      });
      expect(sim.instance.given.buffers.some(({ role }) => role === 'scratch')).toBe(true);
      sim.fields.u.fromArray(Float64Array.from({ length: n * n }, (_, k) => Math.cos(1.7 * k) + 0.01 * k));
      const { gradient } = valueAndGradient(
        sim,
        () => {
          sim.run.stencil();
          sim.run.all();
        },
        { loss: sum, wrt: { u } },
      );
      const [us, ws] = [sim.fields.u, sim.fields.w].map((f) => [...f.toArray()]);
      const h = 1e-6;
      for (let k = 0; k < n * n; k++) {
        const moved = (by: number): number[] => us.map((v, at) => (at === k ? v + by : v));
        expect(gradient.u.get([Math.floor(k / n), k % n])).toBeCloseTo(
          (numberOf(moved(h), ws) - numberOf(moved(-h), ws)) / (2 * h),
          5,
        );
      }
      sim.dispose();
    },
  );
});
