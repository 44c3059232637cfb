import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import { wasm } from '@filigree/backend-wasm';
import { DiagnosticError } from '@filigree/ir';
import { active, kernel, permutation, range } from '@filigree/lang/kernels';
import { program, type ProgramOptions } from '@filigree/runtime';
import { dense, fields, i, layout } from '@filigree/sparse/fields';

const N = 16;
const { order } = fields('i32', i, ['order']);
const { x, y } = fields('f64', i, ['x', 'y']);
const scope = { N };

const kernels = {
  init: kernel([order, x], { scope }, (order, x) => {
    for (const i of range(N)) {
      order[i] = (5 * i) % N;
      x[i] = i;
    }
  }),
  double: kernel([order, x], { scope }, (order, x) => {
    for (const i of active(order)) {
      const p = permutation(order[i], N);
      x[p] = 2 * x[p] + i;
    }
  }),
  copy: kernel([order, x, y], { scope }, (order, x, y) => {
    for (const i of active(order)) {
      const p = permutation(order[i], N);
      y[p] = x[p] + 1;
    }
  }),
  turn: kernel([order], { scope }, (order) => {
    for (const i of active(order)) order[i] = (order[i] + 3) % N;
  }),
};

const make = async (options: Partial<ProgramOptions> = {}) => {
  const made = await program({
    layout: layout(dense(i, N).place(order), dense(i, N).place(x, y)),
    kernels,
    backend: wasm(),
    ...options,
  })();
  if (E.isLeft(made)) throw new DiagnosticError(made.left);
  return made.right;
};

type Sim = Awaited<ReturnType<typeof make>>;

const contents = (sim: Sim): unknown => [[...sim.fields.x.toArray()], [...sim.fields.y.toArray()]];

it('loops over a permutation run as one, unless it changes in between', async () => {
  const launches: readonly (readonly [launch: (sim: Sim) => void, tasks: number])[] = [
    [({ run }) => [run.double(), run.copy()], 1],
    [({ run }) => [run.double(), run.turn(), run.copy()], 3],
    [({ run }) => [run.double(), run.turn(), run.double(), run.copy()], 3],
  ];
  for (const [launch, tasks] of launches) {
    const [eager, queued] = [await make(), await make({ queue: true })];
    for (const sim of [eager, queued]) sim.run.init();
    queued.flush();
    for (let time = 0; time < 3; time++) {
      const { tasksLaunched: before } = queued.queued()!;
      for (const sim of [eager, queued]) launch(sim);
      queued.flush();
      if (time === 2) expect(queued.queued()!.tasksLaunched - before).toBe(tasks);
      await queued.sync({ compiled: true });
      expect(contents(queued)).toEqual(contents(eager));
    }
    for (const sim of [eager, queued]) sim.dispose();
  }
});

it('warns of no race where a permutation tells iterations apart', async () => {
  const sim = await make();
  expect(sim.warnings).toEqual([]);
  sim.dispose();
});

it('says with debug what is no number of the permutation', async () => {
  const sim = await make({ debug: true });
  sim.run.init();
  sim.run.double();
  (sim.fields.order as { set: (at: number[], value: number) => void }).set([3], N);
  try {
    sim.run.double();
    expect.unreachable();
  } catch (e) {
    expect((e as DiagnosticError).diagnostics[0]).toMatchObject({ code: 'launch/promise' });
  }
  sim.dispose();
});

it('refuses a count that is not known, and a place without a loop', async () => {
  const bad = kernel([order, x, 'i32'], (order, x, n) => {
    for (const i of active(order)) x[permutation(order[i], n)] = 1;
  });
  const alone = kernel([order, x], (order, x) => {
    x[permutation(order[0], 16)] = 1;
  });
  for (const one of [bad, alone]) {
    const made = await program({
      layout: layout(dense(i, N).place(order), dense(i, N).place(x, y)),
      kernels: { one },
      backend: wasm(),
    })();
    expect(E.isLeft(made) && made.left[0].code).toBe('lang/permutation');
  }
});
