import { describe, expect, it } from 'vitest';
import type { Backend } from '@filigree/backend';
import { findToolchain } from '@filigree/backend/native';
import { type Grid1, type Layout, dense, field, hash, i, kernel, layout, program, range } from 'filigree';
import { cudaInterleaved, cudaOnCpu, hipOnCpu, hipOnCpu64, metalOnCpu, type Order } from '../src/index.js';
import { changed } from './changed.js';

/* Of the tier `toolchain`. */
const usable = (await findToolchain()())._tag === 'Right' || process.env['CI'] === 'true';

const ROOM = 300;
const THREADS = 1600;
const [u, v] = [field('u', 'i32'), field('v', 'i32')];

const layouts: Readonly<Record<string, () => Layout>> = {
  'slots of a container': () =>
    layout(
      dense(i, 1000).pointer({ cells: ROOM }).place(u),
      dense(i, 1000)
        .pointer({ cells: THREADS / 8 + 1 })
        .place(v),
    ),
  'a hash table': () =>
    layout(hash(i, 1000, { cells: ROOM }).place(u), hash(i, 1000, { cells: THREADS / 8 + 1 }).place(v)),
};

const kernels = {
  /* Neighbouring threads want the same cell, or one of few, and those of all blocks the last one. */
  fill: kernel([u, v], (u: Grid1, v: Grid1) => {
    for (const n of range(1600)) {
      u[n % 300] += 1;
      v[(n >> 3) % 299] += 1;
      v[299] += 1;
    }
  }),
  more: kernel([u], (u: Grid1) => {
    for (const n of range(1600)) u[n % 301] += 1;
  }),
};

/** Whether a pool that has room for all that is wanted says so, and one that has not says that. */
const holds = async (of: Layout, backend: Backend): Promise<void> => {
  const sim = await program({ layout: of, kernels, backend });
  try {
    sim.run.fill();
    const [counts, others] = [sim.fields.u, sim.fields.v].map((f) => [...f.entries()].map(([, x]) => x as number));
    const all = (of: readonly number[]): readonly number[] => [of.length, of.reduce((a, b) => a + b)];
    expect(all(counts!)).toEqual([ROOM, THREADS]);
    expect(all(others!)).toEqual([THREADS / 8 + 1, 2 * THREADS]);
    expect(() => {
      sim.run.more();
      sim.fields.u.get([0]);
    }).toThrow(/launch\/exhausted/);
  } finally {
    sim.dispose();
  }
};

const orders: readonly Order[] = ['forward', 'backward', { seed: 20266 }];
const [, , seed] = orders;

describe.skipIf(!usable).each([
  ['cuda', cudaOnCpu, orders],
  ['cuda, threads that take turns at memory', cudaInterleaved, [seed!]],
  ['hip, 32 in step', hipOnCpu, [seed!]],
  ['hip, 64 in step', hipOnCpu64, [seed!]],
  ['metal', metalOnCpu, [seed!]],
] as const)('pools on %s', (_, make, among) => {
  it.each(Object.keys(layouts))('give the last cell to whoever asks, by %s', async (name) => {
    for (const order of among) await holds(layouts[name]!(), make(order));
  });
});

it.skipIf(!usable)('who finds a slot claimed and does not wait loses what it writes', async () => {
  const hasty = changed(cudaOnCpu(), (text) => text.replace(/if \(!\(\w+ == 1\)\) break;/g, 'break;'));
  await expect(holds(layouts['slots of a container']!(), hasty)).rejects.toThrow(/to deeply equal \[ 201, 3200 \]/);
});
