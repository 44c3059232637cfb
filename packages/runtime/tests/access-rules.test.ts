import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import { active, atomicAdd, kernel, range, vec, type KernelDef } from '@filigree/lang/kernels';
import { DiagnosticError, type Diagnostic } from '@filigree/ir';
import { float } from '@filigree/quant';
import { program, steps, valueAndGradient } from '@filigree/runtime';
import { bitStruct, dense, fields, hash, i, layout, stored, vectorField, type Layout } from '@filigree/sparse/fields';
import { describe, expect, it } from 'vitest';
import { made } from './gradient-check.js';

const { x, y } = fields('f64', i, ['x', 'y']);
const { to } = fields('i32', i, ['to']);
const { loss } = fields('f64', i, ['loss']);

const layouts: Readonly<Record<string, () => Layout>> = {
  dense: () => layout(dense(i, 8).place(x, y, to), dense(i, 1).place(loss)),
  pointer: () => layout(dense(i, 4).pointer().dense(i, 2).place(x, y, to), dense(i, 1).place(loss)),
  hash: () => layout(hash(i, 4).dense(i, 2).place(x, y, to), dense(i, 1).place(loss)),
};

const total = kernel([y, loss], (y, loss) => {
  for (const p of active(y)) loss[0] += y[p] * (p + 1);
});
const scatter = kernel([x, y, to], (x, y, to) => {
  for (const p of active(x)) y[to[p]] = 2 * x[p];
});
const sumAndRead = kernel([x, y, to], (x, y, to) => {
  for (const p of active(x)) {
    atomicAdd(y, to[p], x[p]);
    x[p] = 0.5 * y[p];
  }
});
const square = kernel([x, y], (x, y) => {
  for (const p of active(x)) y[p] = x[p] * x[p];
});
const move = kernel([x, to], (x, to) => {
  for (const p of active(x)) if (to[p] === 5) x[to[p]] = 0.25;
});

/** The diagnostic of a gradient, by which element of `y` goes where. */
const diagnosticOf = async (
  backend: Backend,
  tree: Layout,
  kernels: Readonly<Record<string, KernelDef>>,
  targets: readonly number[],
  { debug = true, threads = 1 } = {},
): Promise<Diagnostic | undefined> => {
  const sim = await made(
    program({ layout: tree, kernels: { ...kernels, total }, backend, differentiate: true, debug, threads }),
  );
  const run = sim.run as unknown as Readonly<Record<string, () => number>>;
  targets.forEach((t, p) => {
    sim.field(x).set(p, 0.3 + p);
    sim.field(y).set(p, 0);
    sim.field(to).set(p, t);
  });
  const forward = (): void => {
    for (const name of Object.keys(kernels)) run[name]();
    sim.run.total();
  };
  try {
    valueAndGradient(sim, forward, { loss, wrt: { x } });
    return undefined;
  } catch (e) {
    if (e instanceof DiagnosticError) return e.diagnostics[0];
    throw e;
  } finally {
    sim.dispose();
  }
};

const own = [0, 1, 2, 3, 4, 5, 6, 7];
const met = [0, 1, 2, 6, 4, 5, 6, 7];

/* Each layout with each backend; one thread and two with each backend. */
const cases = (
  [
    ['dense', 1, cpp()],
    ['pointer', 2, cpp()],
    ['hash', 1, cpp()],
    ['dense', 2, wasm()],
    ['pointer', 1, wasm()],
    ['hash', 2, wasm()],
  ] as const
).map(([name, threads, backend]) => [name, backend.name, threads, layouts[name], backend] as const);

/* A vector of few digits with one exponent: stored component by component each would be rounded beside the old values of the others. */
describe('vectors that share an exponent, in debug mode', () => {
  const v = vectorField('v', 'f64', 2, { axes: i });
  const word = bitStruct(32, stored(v, float(5, 6, { shared: 'v' })));
  const tree = layout(dense(i, 4).pointer().dense(i, 2).place(word, to), dense(i, 1).place(loss));
  const kernels = {
    shrink: kernel([v, 'f64'], (v, by) => {
      for (const p of active(v)) v[p] = v[p].mul(by);
    }),
    send: kernel([v, to], (v, to) => {
      for (const p of range(8)) v[to[p]] = vec(0.5, p);
    }),
    total: kernel([v, loss], (v, loss) => {
      loss[0] = 0.0;
      for (const p of active(v)) loss[0] += v[p].x * v[p].y;
    }),
  };
  const make = (debug: boolean) =>
    made(program({ layout: tree, kernels, backend: wasm(), differentiate: true, debug, fields: { v } }));

  it('are stored as a whole, as they are elsewhere', async () => {
    for (const debug of [true, false]) {
      const sim = await make(debug);
      sim.fields.v.set(1, [1.3125, 24]);
      sim.fields.v.set(6, [-30, 0.5]);
      const forward = (): void => {
        sim.run.shrink(0.0625);
        sim.run.total();
      };
      /* Steps are a half as they are given, so 1.3125 is 1.5; then 1/32, of which 3 and 48, and -60 and 1. */
      const { value, gradient } = valueAndGradient(sim, forward, { loss, wrt: { v } });
      expect([sim.fields.v.get(1), sim.fields.v.get(6)]).toEqual([
        [0.09375, 1.5],
        [-1.875, 0.03125],
      ]);
      expect(value).toBe(0.09375 * 1.5 - 1.875 * 0.03125);
      expect([gradient.v.get(1), gradient.v.get(6)]).toEqual([
        [1.5 / 16, 0.09375 / 16],
        [0.03125 / 16, -1.875 / 16],
      ]);
      sim.dispose();
    }
  });

  it('are written by one iteration', async () => {
    const sim = await make(true);
    const forward = (): void => {
      sim.run.send();
      sim.run.total();
    };
    own.forEach((t, p) => sim.field(to).set(p, t));
    expect(valueAndGradient(sim, forward, { loss, wrt: { v } }).value).toBe(0.5 * 28);
    met.forEach((t, p) => sim.field(to).set(p, t));
    expect(() => valueAndGradient(sim, forward, { loss, wrt: { v } })).toThrow(/written-twice/);
    sim.dispose();
  });
});

describe('access rules in debug mode', () => {
  it.each(cases)('an element written by two iterations: %s, %s, %i threads', async (_l, _b, threads, make, backend) => {
    const found = await diagnosticOf(backend, make(), { scatter }, met, { threads });
    expect(found?.code).toBe('tape/written-twice');
    expect(found?.message).toMatch(
      /^kernel 'scatter' writes \(\S+\.test\.ts:\d+:\d+\) element \[6\] of field 'y', which another iteration of the loop has written \(\S+\.test\.ts:\d+:\d+\)/,
    );
    expect(found?.loc?.line).toBeGreaterThan(0);
    expect(await diagnosticOf(backend, make(), { scatter }, own, { threads })).toBeUndefined();
  });

  it.each(cases)('a sum that is read before it is done: %s, %s, %i threads', async (_l, _b, threads, make, backend) => {
    const found = await diagnosticOf(backend, make(), { sumAndRead }, met, { threads });
    expect(found?.code).toBe('tape/unfinished');
    expect(found?.message).toMatch(
      /^kernel 'sumAndRead' reads \(\S+:(\d+):\d+\) element \[6\] of field 'y', which another iteration of the same loop adds to \(\S+:(\d+):\d+\)/,
    );
    const [, read, sum] = /:(\d+):\d+\).*:(\d+):\d+\)/.exec(found!.message)!;
    expect(Number(read)).toBe(Number(sum) + 1);
    expect(await diagnosticOf(backend, make(), { sumAndRead }, own, { threads })).toBeUndefined();
  });

  it.each(cases)(
    'what a derivative needs may be overwritten: %s, %s, %i threads',
    async (_l, _b, threads, make, backend) => {
      for (const debug of [true, false])
        expect(await diagnosticOf(backend, make(), { square, move }, own, { threads, debug })).toBeUndefined();
    },
  );

  it.each([true, false])('what no derivative needs may be overwritten, debug %s', async (debug) => {
    const { z, seen, x_read: other } = fields('f64', i, ['z', 'seen', 'x_read']);
    const look = kernel([x, z], (x, z) => {
      for (const p of range(8)) z[p] = x[p] ** 3;
    });
    /* Has no derivative: what its loop needs of earlier iterations is overwritten. */
    const strange = kernel([z, seen], (z, seen) => {
      for (const p of range(7)) {
        z[p] = z[p] * z[p];
        seen[0] += z[p];
        z[p] = z[p] * seen[0];
      }
    });
    const sim = await made(
      program({
        layout: layout(dense(i, 8).place(x, y, z, other), dense(i, 1).place(loss, seen), dense(i, 8).place(to)),
        kernels: { look, move, square, total, strange },
        backend: wasm(),
        differentiate: true,
        debug,
      }),
    );
    for (let p = 0; p < 8; p++) {
      sim.field(x).set(p, 0.3 + p);
      sim.field(to).set(p, p);
    }
    const forward = (): void => {
      sim.run.look();
      sim.run.move();
      sim.run.square();
      sim.run.total();
      sim.run.strange();
    };
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
    expect(gradient.x.get(3)).toBeCloseTo(2 * 3.3 * 4, 12);
    /* What is moved to element 5 is a constant. */
    expect(gradient.x.get(5)).toBe(0);
    expect(() => valueAndGradient(sim, forward, { loss: seen, wrt: { x } })).toThrow(/strange/);
    sim.dispose();
  });

  it('what is wrong otherwise names the kernel as it is called: an index outside', async () => {
    const found = await diagnosticOf(wasm(), layouts.dense(), { scatter }, [...own.slice(1), 8]);
    expect(found?.code).toBe('launch/out-of-bounds');
    expect(found?.message).toMatch(/^index \[8\] is outside field 'y', in kernel 'scatter', /);
  });

  it('states of steps are brought back, and may be overwritten', async () => {
    const copy = kernel([x, y], (x, y) => {
      for (const p of range(8)) y[p] = x[p];
    });
    const first = kernel([y, x], (y, x) => {
      for (const p of range(8)) x[p] = y[p] + 0.1 * y[p] * y[p];
    });
    const sim = await made(
      program({
        layout: layouts.dense(),
        kernels: { copy, first, total },
        backend: wasm(),
        differentiate: true,
        debug: true,
      }),
    );
    sim.field(x).fill(0.3);
    const forward = (): void => {
      steps(sim, 9, () => void (sim.run.copy(), sim.run.first()), { state: [x, y], keep: 'root' });
      sim.run.total();
    };
    const { gradient } = valueAndGradient(sim, forward, { loss, wrt: { x } });
    expect(gradient.x.get(2)).toBeGreaterThan(3);
    sim.dispose();
  });
});

describe('what is certain is refused when compiling', () => {
  const everyone = kernel([x, y], (x, y) => {
    for (const p of range(8)) y[0] = x[p];
  });
  const running = kernel([x, y], (x, y) => {
    for (const p of range(8)) {
      y[3] += x[p];
      x[p] = y[3] * 2;
    }
  });
  it.each([
    ['adjoint/written-twice', everyone, /all iterations of a loop of kernel 'f' write the same element of field 'y'/],
    [
      'adjoint/unfinished',
      running,
      /kernel 'f' reads an element of field 'y' in the loop whose iterations add to it \(/,
    ],
  ])('%s', async (code, f, message) => {
    const found = await diagnosticOf(wasm(), layouts.dense(), { f }, own, { debug: false });
    expect(found?.code).toBe(code);
    expect(found?.message).toMatch(message);
    expect(found?.loc?.line).toBeGreaterThan(0);
  });
});
