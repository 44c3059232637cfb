import { tangentField } from '@filigree/autodiff';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import {
  active,
  append,
  array,
  atomicAdd,
  atomicMax,
  atomicMin,
  deactivate,
  kernel,
  mat,
  math,
  polar2,
  range,
  withGradient,
} from '@filigree/lang/kernels';
import { hostStep, program, steps, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { dense, dynamic, fields, hash, i, layout, type Branch, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y, z, high, loss } = fields('f64', i, ['x', 'y', 'z', 'high', 'loss']);
const { count } = fields('i32', i, ['count']);

/** A function whose derivative is given. */
const half = withGradient(
  (v: number) => 0.5 * v * v,
  (v: number, _result: number, adjoint: number) => adjoint * v,
);

const reset = kernel([y, z, high, loss], (y, z, high, loss) => {
  for (const p of active(y)) {
    y[p] = 0.0;
    z[p] = 0.0;
  }
  for (const k of active(high)) high[k] = -1e3;
  loss[0] = 0.0;
});

/** Branches, loops of several kinds that carry values, an array, an argument, atomics, extrema, a derivative that is given. */
const work = kernel(
  [x, y, z, high, count, array('f64', 4), 'f64'],
  { scope: { half } },
  (x, y, z, high, count, weights, power) => {
    for (const p of active(x)) {
      let r = 1.5 + x[p] * x[p];
      while (math.abs(r * r - x[p] - 3) > 1e-13) r = 0.5 * (r + (x[p] + 3) / r);
      let e = 0.0;
      for (const k of range(count[p] + 2)) {
        e += math.sin(x[p] * k) * weights[k % 3];
        if (e > 1.2) break;
      }
      if (e > 0.3) y[p] = math.exp(power * e) + r;
      else y[p] = r * e + half(3 * x[p]);
      const [R, S] = polar2(mat([1 + x[p], 0.2], [r, 2]));
      atomicAdd(z, p, R[0][1] * S[0][0]);
      atomicMax(high, p % 2, math.sin(e) * x[p]);
    }
  },
);
const total = kernel([y, z, high, loss], (y, z, high, loss) => {
  for (const p of active(y)) loss[0] += y[p] * y[p] * (p + 1) + z[p] * high[p % 2];
});
const kernels = { reset, work, total };

const rest = (): readonly Branch[] => [dense(i, 2).place(high), dense(i, 1).place(loss)];
const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () => layout(dense(i, 8).place(x, y, z, count), ...rest()),
  pointer: () => layout(dense(i, 4).pointer().dense(i, 2).place(x, y, z, count), ...rest()),
  hash: () => layout(hash(i, 4).dense(i, 2).place(x, y, z, count), ...rest()),
  list: () => layout(dynamic(i, 8).place(x, y, z, count), ...rest()),
};
const setups = Object.entries(layouts).flatMap(([name, make]) =>
  [cpp(), wasm()].flatMap((backend) => [1, 2].map((threads) => [name, backend.name, threads, make, backend] as const)),
);

const codeOf = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0].code;
    throw e;
  }
  return '';
};

describe('tangents of programs', () => {
  it.each(setups)(
    'agree with differences, and with adjoints: %s, %s, %i threads',
    async (_layout, _backend, threads, make, backend) => {
      const sim = await made(
        program({ layout: make(), kernels, backend, threads, differentiate: true, tangents: true }),
      );
      const at = [0, 1, 2, 3];
      const start = [0.31, 0.83, -0.64, 0.52];
      const along = [0.7, -0.4, 1.1, 0.25];
      const [weights, bend] = [Float64Array.of(0.9, 1.4, -0.8), [0.3, -0.2, 0.5]];
      const [power, push] = [0.6, -0.35];
      at.forEach((p) => {
        sim.field(x).set([p], start[p]);
        sim.field(count).set([p], p);
      });
      const forward = (t = 0) => {
        sim.run.reset();
        sim.run.work(
          weights.map((w, k) => w + t * bend[k]),
          power + t * push,
        );
        sim.run.total();
      };
      const { value, tangent } = valueAndTangent(sim, () => forward(), {
        of: { loss },
        along: (t) => at.forEach((p) => t(x).set([p], along[p])),
        arguments: { work: { power: push, weights: bend } },
      });
      const [here, found] = [value.loss.get(0), tangent.loss.get(0)];

      const { gradient, byArgument, byArray, ...back } = valueAndGradient(sim, () => forward(), { loss, wrt: { x } });
      expect(here).toBeCloseTo(back.value, 12);
      const product =
        at.reduce((sum, p) => sum + along[p] * gradient.x.get([p]), 0) +
        push * byArgument.work.power +
        bend.reduce((sum, b, k) => sum + b * byArray.work.weights[k], 0);
      expect(Math.abs(found - product)).toBeLessThan(1e-9 * Math.max(1, Math.abs(found)));

      const moved = (t: number): number => {
        at.forEach((p) => sim.field(x).set([p], start[p] + t * along[p]));
        forward(t);
        return sim.field(loss).get(0);
      };
      const h = 1e-3;
      const difference = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      expect(Math.abs(found - difference)).toBeLessThan(1e-6 * Math.max(1, Math.abs(difference)));
      sim.dispose();
    },
  );
});

describe('tangents, where adjoints are refused', () => {
  const tree = layout(
    dense(i, 4).pointer().dense(i, 2).place(x, y),
    dense(i, 2).place(high),
    dense(i, 1).place(loss, z),
  );

  it('of states that are overwritten, of elements that are cleared, and of old values', async () => {
    const sim = await made(
      program({
        layout: tree,
        kernels: {
          square: kernel([x], (x) => {
            for (const p of active(x)) x[p] = x[p] * x[p];
          }),
          drop: kernel([x], (x) => {
            deactivate(x, 0);
          }),
          serial: kernel([x, high, loss], (x, high, loss) => {
            const before = atomicAdd(loss, 0, x[4]);
            loss[0] += before * x[5];
            high[0] = x[4];
            atomicMax(high, 0, x[5]);
            atomicMin(high, 0, x[4] * x[5]);
            loss[0] += high[0];
          }),
        },
        backend: wasm(),
        tangents: true,
      }),
    );
    [0, 4, 5].forEach((p, n) => sim.field(x).set([p], 1.5 - 0.4 * n));
    sim.field(loss).set(0, 2);
    const forward = (): void => {
      steps(sim, 2, () => sim.run.square(), { state: [] });
      sim.run.serial();
      sim.run.drop();
    };
    const { tangent } = valueAndTangent(sim, forward, {
      of: { loss, x },
      along: (t) => {
        t(loss).set(0, 0.5);
        [0, 4, 5].forEach((p) => t(x).set([p], 1));
      },
    });
    /* x ↦ x⁴: 1.1⁴ and 0.7⁴; loss = 2 + a + 2 b + min(max(a, b), a b), and the smallest is a b. */
    const [a, b, da, db] = [1.1 ** 4, 0.7 ** 4, 4 * 1.1 ** 3, 4 * 0.7 ** 3];
    expect(sim.field(loss).get(0)).toBeCloseTo(2 + a + 2 * b + a * b, 12);
    expect(tangent.loss.get(0)).toBeCloseTo(0.5 + da + 0.5 * b + 2 * db + da * b + a * db, 12);
    expect(tangent.x.get([0])).toBe(0);
    expect(tangent.x.get([4])).toBeCloseTo(da, 12);
    sim.dispose();
  });

  it('of numbers that kernels return, of lists that grow, and through steps of the host', async () => {
    const { n, m } = fields('f64', i, ['n', 'm']);
    const list = layout(dynamic(i, 16).place(n), dense(i, 4).place(m), dense(i, 1).place(loss));
    const sim = await made(
      program({
        layout: list,
        kernels: {
          grow: kernel([n, m, 'f64'], (n, m, by) => {
            for (const p of range(4)) append(n, m[p] * by);
          }),
          sum: kernel([n], (n) => {
            let sum = 0.0;
            for (const p of active(n)) sum += n[p] * n[p];
            return sum;
          }),
        },
        backend: wasm(),
        tangents: true,
      }),
    );
    sim.field(m).fromArray([1, 2, 3, 4]);
    const twice = {
      reads: [m],
      writes: [m],
      forward: () => sim.field(m).set(0, 2 * sim.field(m).get(0)),
      backward: () => undefined,
    };
    const by = { of: { n }, along: (t: (f: typeof m) => { set: (at: number, v: number) => void }) => t(m).set(0, 1) };
    const forward = (tangent?: () => void) => (): void => {
      hostStep(sim, { ...twice, ...(tangent && { tangent }) });
      sim.run.grow(0.5);
      sim.run.sum();
    };
    const moved = (): void => sim.field(tangentField(m)).set(0, 2 * sim.field(tangentField(m)).get(0));
    const { returned, tangent } = valueAndTangent(sim, forward(moved), { ...by, arguments: { grow: { by: 1 } } });
    /* n = by (2, 2, 3, 4), and of the first m changes by 2. */
    const values = [2, 2, 3, 4];
    const changes = values.map((v, k) => v + (k === 0 ? 0.5 * 2 : 0));
    expect(values.map((_, k) => tangent.n.get([k])).sort()).toEqual(changes.sort());
    expect(returned.sum).toBeCloseTo(
      values.reduce((sum, v, k) => sum + 2 * 0.5 * v * (v + (k === 0 ? 1 : 0)), 0),
      12,
    );
    expect(codeOf(() => valueAndTangent(sim, forward(), by))).toBe('tangent/host-step');
    sim.dispose();
  });

  it('refuse what cannot be told', async () => {
    const running = kernel([x, high, loss], (x, high, loss) => {
      for (const p of active(x)) {
        atomicMax(high, 0, x[p]);
        loss[0] += high[0];
      }
    });
    const old = kernel([x, loss], (x, loss) => {
      for (const p of active(x)) x[p] = atomicAdd(loss, 0, x[p]);
    });
    const elsewhere = kernel([x, z], (x, z) => {
      for (const p of active(x)) atomicAdd(z, 0, x[p]);
    });
    const fine = kernel([x, loss, 'f64'], (x, loss, by) => {
      for (const p of active(x)) loss[0] += x[p] * by;
    });
    const idle = kernel([x, loss, array('f64', 4), 'f64', 'i32'], (x, loss, table, by, n) => {
      const dead = table[0] * by;
      if (n > 0 && dead < 0) return;
      for (const p of active(x)) loss[0] += x[p];
    });
    const kernels = { running, old, elsewhere, fine, idle };
    const sim = await made(program({ layout: tree, kernels, backend: wasm(), tangents: [x, high, loss] }));
    const code = (forward: () => void, by = {}): string =>
      codeOf(() => valueAndTangent(sim, forward, { of: { loss }, ...by }));
    expect(code(() => sim.run.running())).toBe('tangent/extremum');
    expect(code(() => sim.run.old())).toBe('tangent/lost');
    expect(code(() => sim.run.elsewhere())).toBe('tangent/no-tangent');
    expect(code(() => sim.field(x).set([0], 1))).toBe('tangent/outside');
    expect(code(() => void sim.launch.fine(1))).toBe('tangent/outside');
    expect(code(() => void valueAndTangent(sim, () => sim.run.fine(1), { of: { loss } }))).toBe('tangent/nested');
    expect(code(() => sim.run.fine(1), { of: { z } })).toBe('tangent/field');
    expect(code(() => sim.run.fine(1), { arguments: { fine: { of: 1 } } })).toBe('tangent/argument');
    expect(code(() => sim.run.fine(1), { arguments: { fine: { by: 2 } } })).toBe('');
    /* What a kernel does nothing with changes nothing; what is no float does not change by a little. */
    const table = new Float64Array(4);
    const idly = (by: object): string => code(() => sim.run.idle(table, 1, 0), { arguments: { idle: by } });
    expect([{ table }, { by: 2 }, { table, by: 2 }].map(idly)).toEqual(['', '', '']);
    expect([{ n: 1 }, { table: 1 }, { by: table }, { none: 1 }].map(idly)).toEqual(Array(4).fill('tangent/argument'));
    sim.dispose();
    const both = await made(program({ layout: tree, kernels: { fine }, backend: wasm(), tangents: true, differentiate: true })); // prettier-ignore
    const inside = (): void => void valueAndGradient(both, () => both.run.fine(1), { loss, wrt: { x } });
    expect(codeOf(() => valueAndTangent(both, inside, { of: { loss } }))).toBe('tangent/outside');
    both.dispose();
    const plain = await made(program({ layout: tree, kernels: { fine }, backend: wasm() }));
    expect(codeOf(() => valueAndTangent(plain, () => plain.run.fine(1), { of: { loss } }))).toBe('tangent/none');
    plain.dispose();
  });

  it('lie where a layout places them, and are refused where what is cleared leaves them', async () => {
    const drop = kernel([x], (x) => {
      deactivate(x, 0);
    });
    const square = kernel([x], (x) => {
      for (const p of active(x)) x[p] = x[p] * x[p];
    });
    const apart = layout(dense(i, 8).pointer().place(x), dense(i, 8).place(tangentField(x)), dense(i, 1).place(loss));
    const sim = await made(program({ layout: apart, kernels: { drop, square }, backend: wasm(), tangents: [x] }));
    sim.field(x).set([3], 5);
    const along = (t: (f: typeof x) => { set: (at: readonly number[], v: number) => void }): void => t(x).set([3], 2);
    expect(valueAndTangent(sim, () => sim.run.square(), { of: { x }, along }).tangent.x.get([3])).toBe(20);
    expect(codeOf(() => valueAndTangent(sim, () => sim.run.drop(), { of: { x } }))).toBe('tangent/no-rule');
    sim.dispose();
  });
});
