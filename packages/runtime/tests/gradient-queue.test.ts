import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import type { Backend } from '@filigree/backend';
import { DiagnosticError } from '@filigree/ir';
import { active, array, kernel, range, serially } from '@filigree/lang/kernels';
import { gradient, program, steps, valueAndGradient } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';

const { x, y, z } = fields('f64', i, ['x', 'y', 'z']);
const { loss } = fields('f64', i, ['loss']);

const kernels = {
  start: kernel([x], (x) => {
    for (const i of range(8)) x[i] = 0.1 * i + 0.2;
  }),
  reset: kernel([loss], (loss) => {
    loss[0] = 0;
  }),
  move: kernel([x, y, z, 'f64'], (x, y, z, by) => {
    for (const p of active(x)) z[p] = Math.sin(x[p]) * by + y[p] * y[p];
  }),
  scale: kernel([y, z, array('f64', 8)], (y, z, factors: number[]) => {
    for (const p of active(y)) y[p] = z[p] * factors[p];
  }),
  /* In order, which a parallel loop leaves open. */
  total: kernel([y, loss], (y, loss) => {
    for (const p of serially(range(8))) loss[0] += y[p] * y[p];
  }),
  clear: kernel([y], (y) => {
    for (const p of active(y)) y[p] = 0;
  }),
};

const make = async (backend: Backend, queue: boolean) => {
  const made = await program({
    layout: layout(dense(i, 8).place(x, y, z), dense(i, 1).place(loss)),
    kernels,
    backend,
    differentiate: true,
    queue,
    fastMath: false,
    threads: 1,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

type Sim = Awaited<ReturnType<typeof make>>;

const factors = Float64Array.from({ length: 8 }, (_, k) => 1 + k / 4);

const forward = (sim: Sim) => (): void => {
  sim.run.clear();
  sim.run.reset();
  steps(
    sim,
    3,
    (k) => {
      sim.run.move(0.5 + k);
      sim.run.scale(factors);
    },
    { state: [y, z], keep: 'all' },
  );
  sim.run.total();
};

/** All that derivatives leave, as numbers. */
const found = (sim: Sim): unknown => {
  const { value, gradient: g, byArgument, byArray } = valueAndGradient(sim, forward(sim), { loss, wrt: { x } });
  return [value, [...g.x.toArray()], byArgument, byArray];
};

describe.each([cpp(), wasm()])('derivatives of launches that wait, on $name', async (backend) => {
  const { usable, reason } = await backend.probe();
  it.skipIf(!usable)(`are those of launches that do not, to the last bit${usable ? '' : `: ${reason}`}`, async () => {
    const [eager, queued] = [await make(backend, false), await make(backend, true)];
    for (const sim of [eager, queued]) sim.run.start();
    const wanted = found(eager);
    for (let time = 0; time < 4; time++) {
      expect(found(queued)).toEqual(wanted);
      await queued.sync({ compiled: true });
    }
    expect(queued.queued()!.warnings).toEqual([]);
    expect(queued.queued()!.tasksCompiled).toBeGreaterThan(0);
    const before = [...queued.field(x).toArray()];
    queued.run.start();
    expect([...queued.field(x).toArray()]).toEqual(before);
    for (const sim of [eager, queued]) sim.dispose();
  });
});

it('a gradient alone drops what only the value needs', async () => {
  const [eager, queued] = [await make(wasm(), false), await make(wasm(), true)];
  const plain = (sim: Sim) => (): void => {
    sim.run.reset();
    sim.run.total();
  };
  const by = { loss, wrt: { y } };
  const slopes = [eager, queued].map((sim) => {
    sim.field(y).fromArray(factors);
    return [...gradient(sim, plain(sim), by).gradient.y.toArray()];
  });
  expect(slopes[1]).toEqual(slopes[0]);
  const { tasksLaunched: before } = queued.queued()!;
  const times = async (): Promise<number> => {
    const { tasksLaunched } = queued.queued()!;
    for (let k = 0; k < 10; k++) gradient(queued, plain(queued), by);
    await queued.sync({ compiled: true });
    return queued.queued()!.tasksLaunched - tasksLaunched;
  };
  await times();
  await times();
  /* What the first gradient launched, which nobody had planned, as often. */
  expect(before).toBeGreaterThan(0);
  expect(await times()).toBeLessThan(10 * before);
  expect(queued.field(loss).get(0)).toBe(eager.field(loss).get(0));
});
