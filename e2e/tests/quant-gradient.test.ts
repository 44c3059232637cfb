import { cpp } from '@filigree/backend-cpp';
import { active, kernel, math } from '@filigree/lang/kernels';
import { fixed, float, packed } from '@filigree/quant';
import {
  bitStruct,
  dense,
  fields,
  hash,
  i,
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
