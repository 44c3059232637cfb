import { wasm } from '@filigree/backend-wasm';
import { adjointField } from '@filigree/autodiff';
import { DiagnosticError } from '@filigree/ir';
import { kernel, math, range } from '@filigree/lang/kernels';
import { hostStep, program, steps, valueAndGradient, type StepsOptions } from '@filigree/runtime';
import { dense, fields, i, layout, type Branch } from '@filigree/sparse/fields';
import * as E from 'fp-ts/lib/Either.js';
import { afterAll, describe, expect, it } from 'vitest';

/* A ring of values, each of which is pulled by a sine of its neighbour: the state is overwritten in place. */
const N = 32;
const { x, next, k, out, loss } = fields('f64', i, ['x', 'next', 'k', 'out', 'loss']);
const scope = { N };
const move = kernel([x, next, k], { scope }, (x, next, k) => {
  for (const p of range(N)) next[p] = x[p] + 0.1 * k[p] * math.sin(3 * x[(p + 1) % N]);
});
const take = kernel([x, next], { scope }, (x, next) => {
  for (const p of range(N)) x[p] = next[p];
});
const total = kernel([x, loss], { scope }, (x, loss) => {
  loss[0] = 0.0;
  for (const p of range(N)) loss[0] += x[p] * x[p] * (p + 1);
});
const sumOut = kernel([out, loss], { scope }, (out, loss) => {
  loss[0] = 0.0;
  for (const p of range(N)) loss[0] += out[p] * out[p];
});
const change = kernel([k], { scope }, (k) => {
  for (const p of range(N)) k[p] = 2.0;
});

const programOf = async (...branches: readonly Branch[]) => {
  const made = await program({
    layout: layout(...branches, dense(i, 1).place(loss)),
    kernels: { move, take, total, sumOut, change },
    backend: wasm(),
    differentiate: true,
  })();
  if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
  return made.right;
};
const sim = await programOf(dense(i, N).place(x, next, k, out));
afterAll(() => sim.dispose());

const start = Float64Array.from({ length: N }, (_, p) => Math.sin(1 + p));
const strength = Float64Array.from({ length: N }, (_, p) => 0.5 + (p % 5) / 5);
const begin = (of = sim): void => {
  of.field(x).fromArray(start);
  of.field(k).fromArray(strength);
};
const gradientOf = (n: number, keep: StepsOptions['keep'], of = sim) => {
  begin(of);
  const forward = (): void => {
    steps(
      of,
      n,
      () => {
        of.run.move();
        of.run.take();
      },
      { state: [x, next], ...(keep !== undefined && { keep }) },
    );
    of.run.total();
  };
  const { value, gradient, tapeBytes } = valueAndGradient(of, forward, { loss, wrt: { x, k } });
  return { value, x: Array.from(gradient.x.toArray()), k: Array.from(gradient.k.toArray()), tapeBytes };
};

/** The same in plain numbers. */
const plain = (x0: Float64Array, k0: Float64Array, n: number): number => {
  let at = x0;
  for (let t = 0; t < n; t++) at = at.map((v, p) => v + 0.1 * k0[p] * Math.sin(3 * at[(p + 1) % N]));
  return at.reduce((s, v, p) => s + v * v * (p + 1), 0);
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

describe('steps whose state is overwritten', () => {
  it('have the gradient that central differences say', () => {
    const n = 12;
    const found = gradientOf(n, 'root');
    expect(Math.abs(found.value / plain(start, strength, n) - 1)).toBeLessThan(1e-12);
    const h = 1e-5;
    for (const p of [0, 7, 31]) {
      const moved = (of: Float64Array, by: number) => of.map((v, q) => (q === p ? v + by : v));
      const byX = (plain(moved(start, h), strength, n) - plain(moved(start, -h), strength, n)) / (2 * h);
      const byK = (plain(start, moved(strength, h), n) - plain(start, moved(strength, -h), n)) / (2 * h);
      expect(Math.abs(Number(found.x[p]) - byX)).toBeLessThan(1e-6 * Math.max(1, Math.abs(byX)));
      expect(Math.abs(Number(found.k[p]) - byK)).toBeLessThan(1e-6 * Math.max(1, Math.abs(byK)));
    }
  });

  it('have the same gradient to the bit, whatever is kept', () => {
    const { tapeBytes: _, ...all } = gradientOf(50, 'all');
    for (const keep of ['root', 1, 3, 7, 50, undefined] as const) {
      const { tapeBytes: __, ...found } = gradientOf(50, keep);
      expect(found).toEqual(all);
    }
  });

  it.each<readonly [string, readonly Branch[]]>([
    ['each field in an array', [x, next, k, out].map((f) => dense(i, N).place(f))],
    ['groups of eight', [dense(i, N / 8).fork(...[x, k, next, out].map((f) => dense(i, 8).place(f)))]],
    ['groups of cells', [dense(i, N / 8).fork(dense(i, 8).place(k, x), dense(i, 8).place(next, out))]],
    ['a Z-order curve', [dense(i, N).morton().place(x, next, k, out)]],
  ])('have it wherever fields lie, and change nothing else: %s', async (_, branches) => {
    const other = await programOf(...branches);
    other.field(out).fromArray(start);
    for (const keep of ['all', 'root'] as const) {
      const { tapeBytes, ...found } = gradientOf(20, keep, other);
      const { tapeBytes: expected, ...all } = gradientOf(20, keep);
      expect(found).toEqual(all);
      expect(tapeBytes).toBeLessThanOrEqual(expected);
    }
    expect([...other.field(x).toArray()]).toEqual([...start]);
    expect([...other.field(k).toArray(), ...other.field(out).toArray()]).toEqual([...strength, ...start]);
    other.dispose();
  });

  it('take memory that grows as the root of their number, or as their number where all is kept', () => {
    const bytes = (keep: 'all' | 'root') => [64, 256, 1024, 4096].map((n) => gradientOf(n, keep).tapeBytes);
    const grows = (list: readonly number[]) => list.slice(1).map((b, n) => b / list[n]);
    for (const growth of grows(bytes('root'))) expect(growth).toBeCloseTo(2, 0);
    for (const growth of grows(bytes('all'))) expect(growth).toBeCloseTo(4, 1);
  });

  it('are refused where something was changed that the state does not name', () => {
    const forward =
      (state: StepsOptions['state'], after = () => undefined as unknown) =>
      () => {
        steps(sim, 9, () => void (sim.run.move(), sim.run.take()), { state });
        sim.run.total();
        after();
      };
    const code = (run: () => void) => (begin(), codeOf(() => valueAndGradient(sim, run, { loss, wrt: { k } })));
    expect(code(forward([next]))).toBe('tape/overwritten');
    expect(code(forward([x, next], () => sim.run.change()))).toBe('tape/overwritten');
    let ran = 0;
    const other = (): void => {
      steps(sim, 9, () => void (ran++ < 12 && sim.run.move(), sim.run.take()), { state: [x, next] });
      sim.run.total();
    };
    expect(code(other)).toBe('tape/replay');
  });

  it('are refused where what they find outside of the state was left by others, though the state ends as it did', async () => {
    const { v } = fields('f64', i, ['v']);
    const tree = layout(dense(i, N).place(x, v, k), dense(i, 1).place(loss));
    const swing = kernel([x, v, k], { scope }, (x, v, k) => {
      for (const p of range(N)) {
        v[p] -= k[p] * math.sin(x[p]);
        x[p] += 0.3 * v[p];
      }
    });
    const back = kernel([x, k], { scope }, (x, k) => {
      for (const p of range(N)) x[p] = k[p];
    });
    const totalV = kernel([x, v, loss], { scope }, (x, v, loss) => {
      loss[0] = 0.0;
      for (const p of range(N)) loss[0] += x[p] * v[p];
    });
    const made = await program({
      layout: tree,
      kernels: { swing, back, totalV },
      backend: wasm(),
      differentiate: true,
    })();
    if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
    const sim = made.right;
    const start = (by = 0): void => {
      sim.field(x).fromArray(strength.map((s, p) => s + 0.2 * p + (p === 3 ? by : 0)));
      sim.field(k).fromArray(strength);
      sim.field(v).fill(0.1);
    };
    const forward = (state: StepsOptions['state'], keep: StepsOptions['keep']) => (): void => {
      const step = () => void (sim.run.swing(), sim.run.swing(), sim.run.back());
      steps(sim, 4, step, { state, ...(keep !== undefined && { keep }) });
      sim.run.swing();
      sim.run.totalV();
    };
    const gradientAt = (...how: Parameters<typeof forward>) => {
      start();
      return valueAndGradient(sim, forward(...how), { loss, wrt: { x } }).gradient.x.get(3);
    };
    expect(codeOf(() => gradientAt([x], 1))).toBe('tape/replay');
    const valueAt = (by: number): number => {
      start(by);
      forward([x], 1)();
      return sim.field(loss).get(0);
    };
    const h = 1e-4;
    const wanted = (valueAt(h) - valueAt(-h)) / (2 * h);
    for (const keep of ['all', 1, 'root'] as const) expect(gradientAt([x, v], keep)).toBeCloseTo(wanted, 6);
    sim.dispose();
  });

  it('refuse a state that is of another program', () => {
    const { x: other } = fields('f64', i, ['x']);
    expect(codeOf(() => steps(sim, 4, () => undefined, { state: [x, other] }))).toBe('tape/state');
  });

  it('refuse numbers of segments that there cannot be', () => {
    const code = (keep: number): string => codeOf(() => steps(sim, 9, () => undefined, { state: [x], keep }));
    expect([0, 1.5, -1, NaN].map(code)).toEqual(Array(4).fill('option/value'));
    expect(code(10)).toBe('tape/keep');
  });
});

describe('a step of the host', () => {
  const cube = (): void =>
    hostStep(sim, {
      reads: [x],
      writes: [out],
      forward: () =>
        sim.field(out).fromArray(Float64Array.from(Array.from(sim.field(x).toArray(), Number), (v) => v ** 3)),
      backward: () => {
        const [at, of, by] = [x, adjointField(out), adjointField(x)].map((f) => sim.field(f).toArray() as Float64Array);
        sim.field(adjointField(x)).fromArray(by.map((g, p) => g + 3 * at[p] ** 2 * of[p]));
      },
    });

  it('is differentiated by its own backward, alone and after steps', () => {
    begin();
    const alone = (): void => {
      cube();
      sim.run.sumOut();
    };
    const { value, gradient } = valueAndGradient(sim, alone, { loss, wrt: { x } });
    expect(value).toBeCloseTo(
      start.reduce((s, v) => s + v ** 6, 0),
      12,
    );
    start.forEach((v, p) => expect(gradient.x.get([p])).toBeCloseTo(6 * v ** 5, 12));
    begin();
    const after = (): void => {
      steps(sim, 1, () => void (sim.run.move(), sim.run.take()), { state: [x, next] });
      alone();
    };
    const found = valueAndGradient(sim, after, { loss, wrt: { x } });
    const h = 1e-6;
    const lossAt = (by: number): number => {
      begin();
      sim.field(x).set([3], start[3] + by);
      after();
      return sim.field(loss).get(0);
    };
    expect(found.gradient.x.get([3])).toBeCloseTo((lossAt(h) - lossAt(-h)) / (2 * h), 6);
  });
});
