import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import {
  active,
  array,
  dense,
  field,
  i,
  kernel,
  layout,
  program,
  range,
  type Grid1,
  type QueueOptions,
} from 'filigree';
import { describe, expect, it } from 'vitest';
import { cudaOnCpu, hasObjectiveC, hipOnCpu, metalByHost, metalOnCpu, type Order } from '../src/index.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

/* Whole numbers, so that sums are exact in any order. */
const [x, y, sums] = (['x', 'y', 'sums'] as const).map((name) => field(name, 'i32'));
const shape = layout(dense(i, 4).pointer().dense(i, 16).place(x, y), dense(i, 4).place(sums));

const kernels = {
  put: kernel([x, array('i32', 64)], (x: Grid1, values: number[]) => {
    for (const q of range(values.length)) x[q] = values[q]!;
  }),
  triple: kernel([x], (x: Grid1) => {
    for (const q of active(x)) x[q] = x[q]! * 3 + 1;
  }),
  copy: kernel([x, y], (x: Grid1, y: Grid1) => {
    for (const q of active(x)) y[q]! += x[q]!;
  }),
  sort: kernel([y, sums], (y: Grid1, sums: Grid1) => {
    for (const q of active(y)) sums[y[q]! & 3]! += 1;
  }),
  first: kernel([y], (y: Grid1) => y[0]!),
};

const backends: readonly (readonly [string, (order: Order) => Backend, boolean])[] = [
  ['cuda', cudaOnCpu, usable],
  ['hip', hipOnCpu, usable],
  ['metal', metalOnCpu, usable],
  /* Whose memory the host sees. */
  [
    'metal by its host',
    (order) => metalByHost({ order }),
    usable && ((await hasObjectiveC()) || process.env['CI'] === 'true'),
  ],
];

describe.each(backends)('launches that wait on %s', (_, make, here) => {
  it.skipIf(!here)('compute what launches at once compute, by the code of plans too', async () => {
    const seen = async (queue: false | QueueOptions): Promise<readonly unknown[]> => {
      const sim = await program({ layout: shape, kernels, backend: make('backward'), budget: 2 ** 16, queue });
      const found: unknown[] = [];
      for (let round = 0; round < 3; round++) {
        sim.run.put(Int32Array.from({ length: 20 + 10 * round }, (_, q) => q * q));
        sim.run.triple();
        sim.run.triple();
        sim.run.copy();
        sim.run.sort();
        found.push(sim.run.first(), sim.fields.sums.toArray());
        sim.fields.x.set([50], round);
        sim.run.triple();
        sim.run.copy();
        await sim.sync({ compiled: true });
        found.push(['x', 'y'].map((name) => [...sim.fields[name]!.entries()]));
      }
      const { warnings = [], tasksCompiled = 0, tasksLaunched = 0, kinds } = sim.queued() ?? {};
      expect(warnings).toEqual([]);
      if (queue && !queue.without) expect(tasksCompiled, JSON.stringify({ tasksLaunched, kinds })).toBeGreaterThan(0);
      sim.dispose();
      return found;
    };
    const wanted = await seen(false);
    expect(await seen({})).toEqual(wanted);
    expect(await seen({ window: 2, without: ['fusion'] })).toEqual(wanted);
  });
});
