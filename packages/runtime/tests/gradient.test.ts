import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, kernel, math, range } from '@filigree/lang/kernels';
import { adjointField } from '@filigree/autodiff';
import { hostStep, openMemory, program, valueAndGradient, valueAndTangent } from '@filigree/runtime';
import { DiagnosticError } from '@filigree/ir';
import { dense, fields, hash, i, ij, layout, type Layout } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, v, y } = fields('f64', i, { x: 2, v: 2, y: 2 });
const { loss } = fields('f64', i, ['loss']);

const step = kernel([x, v, y, 'f64'], (x, v, y, dt) => {
  for (const p of active(x)) {
    let e = 0.0;
    for (const k of range(3)) e += math.sin(x[p][0] * k);
    if (e > 0.3) y[p] = v[p].add(x[p].mul(dt * e));
    else y[p] = v[p].mul(math.exp(x[p][1]));
  }
});
const total = kernel([y, loss], (y, loss) => {
  for (const p of active(y)) loss[0] += y[p].dot(y[p]) * (p + 1);
});
const reset = kernel([loss], (loss) => {
  loss[0] = 0.0;
});

const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () => layout(dense(i, 8).place(x, v, y), dense(i, 1).place(loss)),
  pointer: () => layout(dense(i, 4).pointer().dense(i, 2).place(x, v, y), dense(i, 1).place(loss)),
  hash: () => layout(hash(i, 4).dense(i, 2).place(x, v, y), dense(i, 1).place(loss)),
};

const cases = Object.entries(layouts).flatMap(([name, make]) =>
  [cpp(), wasm()].map((backend) => [name, backend.name, make, backend] as const),
);

describe('gradients of programs', () => {
  it.each(cases)('agree with central differences: %s, %s', async (_layout, _backend, make, backend) => {
    const made = await program({ layout: make(), kernels: { step, total, reset }, backend, differentiate: true })();
    if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
    const sim = made.right;
    const at = [0, 1, 3, 5];
    const start = at.map((p) => [0.3 + 0.2 * p, 0.5 - 0.3 * p]);
    const [field, other] = [sim.field(x), sim.field(v)];
    at.forEach((p, n) => {
      field.set([p], start[n]);
      other.set([p], [0.1 * p, 1 - p]);
    });
    const forward = (dt = 0.7): void => {
      sim.run.reset();
      sim.run.step(dt);
      sim.run.total();
    };
    const value = (dt?: number): number => {
      forward(dt);
      return sim.field(loss).get(0);
    };
    const h = 1e-5;
    const { gradient, byArgument, value: here } = valueAndGradient(sim, () => forward(), { loss, wrt: { x } });
    expect(here).toBeCloseTo(value(), 12);
    const found = at.map((p) => gradient.x.get([p]));
    for (const [n, p] of at.entries())
      for (const c of [0, 1]) {
        const moved = (by: number): number => {
          field.set(
            [p],
            start[n].map((s, k) => (k === c ? s + by : s)),
          );
          const there = value();
          field.set([p], start[n]);
          return there;
        };
        const expected = (moved(h) - moved(-h)) / (2 * h);
        expect(Math.abs(found[n][c] - expected)).toBeLessThan(1e-6 * Math.max(1, Math.abs(expected)));
      }
    const byDt = (value(0.7 + h) - value(0.7 - h)) / (2 * h);
    expect(Math.abs(byArgument.step.dt - byDt)).toBeLessThan(1e-6 * Math.max(1, Math.abs(byDt)));
    sim.dispose();
  });
});

describe('steps on a tape', () => {
  const { u } = fields('f64', ij, ['u']);
  const { w } = fields('f64', i, ['w']);
  const own = kernel([u, 'i32'], (u, t) => {
    for (const p of range(4)) u[t + 1][p] = u[t][p] + 0.1 * math.sin(u[t][(p + 1) % 4]);
  });
  const last = kernel([u, loss, 'i32'], (u, loss, t) => {
    for (const p of range(4)) loss[0] += u[t][p] * u[t][p];
  });
  const again = kernel([w], (w) => {
    for (const p of range(4)) w[p] = w[p] * 0.5;
  });
  const square = kernel([w, loss], (w, loss) => {
    for (const p of range(4)) loss[0] += w[p] * w[p];
  });
  const zero = kernel([loss], (loss) => {
    loss[0] = 0.0;
  });
  const tree = layout(dense(ij, 8).place(u), dense(i, 4).place(w), dense(i, 1).place(loss));

  const make = async () => {
    const kernels = { own, last, again, square, zero };
    return made(program({ layout: tree, kernels, backend: wasm(), differentiate: true }));
  };

  const codeOf = (act: () => unknown): string => {
    try {
      act();
    } catch (e) {
      if (e instanceof DiagnosticError) return e.diagnostics[0].code;
      throw e;
    }
    return '';
  };

  it('that write elements of their own are differentiated', async () => {
    const sim = await make();
    const start = [0.3, -0.8, 1.1, 0.6];
    const forward = (): void => {
      sim.run.zero();
      for (let t = 0; t < 5; t++) sim.run.own(t);
      sim.run.last(5);
    };
    const at = (values: readonly number[]): number => {
      values.forEach((x, p) => sim.field(u).set([0, p], x));
      forward();
      return sim.field(loss).get(0);
    };
    at(start);
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { u } });
    const found = start.map((_, p) => gradient.u.get([0, p]));
    const h = 1e-5;
    start.forEach((_, p) => {
      const moved = (by: number): number => at(start.map((x, k) => (k === p ? x + by : x)));
      expect(found[p]).toBeCloseTo((moved(h) - moved(-h)) / (2 * h), 7);
    });
    sim.dispose();
  });

  it('are right where one overwrites what the derivative of an earlier one needs', async () => {
    const sim = await make();
    const by = { loss, wrt: { w } };
    const twice = (): void => {
      sim.run.zero();
      sim.run.square();
      sim.run.again();
      sim.run.square();
    };
    sim.field(w).fromArray([1, 2, 3, 4], { from: [0], to: [4] });
    const halves = valueAndGradient(sim, twice, by);
    expect([0, 1, 2, 3].map((p) => halves.gradient.w.get(p))).toEqual([2.5, 5, 7.5, 10]);
    /* In the end all is as the launches left it. */
    expect([0, 1, 2, 3].map((p) => sim.field(w).get(p))).toEqual([0.5, 1, 1.5, 2]);
    const sameStep = (): void => {
      sim.run.zero();
      sim.run.own(1);
      sim.run.own(0);
      sim.run.own(1);
      sim.run.last(2);
    };
    const valueAt = (x: number): number => {
      sim.field(u).set([0, 1], x);
      sameStep();
      return sim.field(loss).get(0);
    };
    valueAt(0.4);
    const { gradient: first } = valueAndGradient(sim, sameStep, { loss, wrt: { u } });
    const found = first.u.get([0, 1]);
    expect(found).toBeCloseTo((valueAt(0.4 + 1e-5) - valueAt(0.4 - 1e-5)) / 2e-5, 7);
    expect(found).not.toBe(0);
    /* What is linear needs no old value. */
    sim.field(w).fromArray([1, 2, 3, 4], { from: [0], to: [4] });
    const linear = (): void => {
      sim.run.zero();
      sim.run.again();
      sim.run.again();
      sim.run.square();
    };
    const { gradient } = valueAndGradient(sim, linear, by);
    expect([0, 1, 2, 3].map((p) => gradient.w.get(p))).toEqual([0.125, 0.25, 0.375, 0.5]);
    sim.dispose();
  });

  it('lie in fields that programs of one layout share, whoever asks for them', async () => {
    const shared = layout(dense(i, 4).pointer().dense(i, 2).place(w), dense(i, 1).place(loss));
    const energy = kernel([w, loss], (w, loss) => {
      for (const p of active(w)) loss[0] += w[p] ** 3;
    });
    const put = kernel([w, 'i32', 'f64'], (w, at, v) => {
      w[at] = v;
    });
    const descend = kernel([w, adjointField(w)], (w, by) => {
      for (const p of active(w)) w[p] -= by[p];
    });
    const memory = await made(openMemory(wasm()));
    const sim = await made(
      program({ layout: shared, kernels: { energy }, backend: wasm(), memory, differentiate: true, tangents: [w] }),
    );
    const plain = await made(program({ layout: shared, kernels: { put }, backend: wasm(), over: sim, queue: true }));
    const same = await made(
      program({ layout: shared, kernels: { energy, descend }, backend: wasm(), over: sim, differentiate: [w, loss] }),
    );
    plain.run.put(1, 2);
    plain.run.put(6, 3);
    for (const one of [sim, same]) {
      sim.field(loss).fill(0);
      const { value, gradient } = valueAndGradient(one, () => one.run.energy(), { loss, wrt: { w } });
      expect([value, gradient.w.get(1), gradient.w.get(6), gradient.w.get(7)]).toEqual([35, 12, 27, 0]);
    }
    same.run.descend();
    expect([plain.field(w).get(1), plain.field(w).get(6), sim.field(w).get(6)]).toEqual([-10, -24, -24]);
    const none = await made(program({ layout: shared, kernels: { put }, backend: wasm() }));
    const late = program({ layout: shared, kernels: { energy }, backend: wasm(), over: none, differentiate: true });
    const code = await made(late).catch((e: DiagnosticError) => e.diagnostics[0].code);
    expect(code).toBe('program/over');
    for (const one of [plain, same, sim, none]) one.dispose();
  });

  it('are refused where another program writes to the fields, but in a step of the host', async () => {
    const memory = await made(openMemory(wasm()));
    const sim = await made(
      program({
        layout: tree,
        kernels: { square, zero },
        backend: wasm(),
        memory,
        differentiate: true,
        tangents: true,
      }),
    );
    const sum = kernel([w], (w) => {
      let all = 0.0;
      for (const p of range(4)) all += w[p];
      return all;
    });
    const other = await made(
      program({ layout: sim.storage.layout, kernels: { again, sum }, backend: wasm(), over: sim }),
    );
    sim.field(w).fromArray([1, 2, 3, 4]);
    const gradientOf = (between: () => void): number =>
      valueAndGradient(sim, () => (sim.run.zero(), between(), sim.run.square()), { loss, wrt: { w } }).gradient.w.get(
        1,
      );
    expect(codeOf(() => gradientOf(() => other.run.again()))).toBe('tape/outside');
    expect(codeOf(() => gradientOf(() => void other.launch.again()))).toBe('tape/outside');
    expect(codeOf(() => gradientOf(() => other.field(w).set(0, 1)))).toBe('tape/outside');
    expect(gradientOf(() => void other.run.sum())).toBe(4);
    const halved = (): void =>
      hostStep(sim, {
        reads: [w],
        writes: [w],
        forward: () => other.run.again(),
        backward: () => {
          const by = sim.field(adjointField(w));
          by.fromArray(by.toArray().map((g) => g / 2));
        },
      });
    expect(gradientOf(halved)).toBe(1);
    other.run.again();
    const along = (tangentsOf: (f: typeof w) => { set: (at: number, to: number) => void }): void =>
      tangentsOf(w).set(1, 1);
    const forward = (): void => void (other.run.again(), sim.run.square());
    expect(codeOf(() => valueAndTangent(sim, forward, { of: { loss }, along }))).toBe('tangent/outside');
    other.dispose();
    sim.dispose();
  });

  it('are refused where something else than launches changes fields, or nothing is recorded', async () => {
    const sim = await make();
    const by = { loss, wrt: { w } };
    const gradientOf = (forward: () => void) => codeOf(() => valueAndGradient(sim, forward, by));
    expect(gradientOf(() => sim.field(w).set([0], 1))).toBe('tape/outside');
    expect(gradientOf(() => void sim.field(w).view())).toBe('tape/outside');
    expect(gradientOf(() => void sim.launch.square())).toBe('tape/outside');
    /* That the promise is refused as well is nobody's to catch. */
    const later = async (): Promise<void> => void (await sim.launch.square());
    expect(gradientOf(later as () => void)).toBe('tape/outside');
    expect(gradientOf(() => void valueAndGradient(sim, () => sim.run.square(), by))).toBe('tape/nested');
    expect(gradientOf(() => sim.run.zero())).toBe('tape/independent');
    sim.dispose();
    const plain = await program({ layout: tree, kernels: { zero }, backend: wasm() })();
    if (E.isLeft(plain)) throw new Error(JSON.stringify(plain.left));
    expect(codeOf(() => valueAndGradient(plain.right, () => plain.right.run.zero(), by))).toBe('tape/none');
    plain.right.dispose();
  });
});
