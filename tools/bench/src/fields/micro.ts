import { cpus } from 'node:os';
import { fail } from '@filigree/ir';
import { active, append, dense, field, hash, i, ij, j, kernel, layout, program, range } from 'filigree';
import type { Branch, Grid1, Grid2 } from 'filigree';
import { quantile } from '../measure.js';

/** How many cells, and how often. */
export interface MicroJob {
  /** A multiple of 256. */
  readonly cells?: number;
  readonly rounds?: number;
  readonly backend?: string;
}

export interface MicroResult {
  readonly what: string;
  readonly value: number;
  readonly unit: 'million a second' | 'µs' | 'ms';
  readonly goal?: string;
}

/**
 * Small measurements of fields: cells that a kernel activates a second and core, on one thread and on all, a launch of a small
 * kernel, elements that the host reads and writes. What each did is checked before it is timed; values are medians.
 */
export const measureMicro = async (job: MicroJob): Promise<readonly MicroResult[]> => {
  const { cells = 1 << 20, rounds = 15, backend } = job;
  const setup = { cells, rounds, options: { threads: 1, ...(backend === undefined ? {} : { backend }) } };
  const results: MicroResult[] = [];
  for (const threads of new Set([1, cpus().length])) {
    const each = { ...setup, options: { ...setup.options, threads } };
    for (const [what, branch, stride] of [
      ['pointer, cells of one element', dense(i, cells).pointer(), 1],
      ['pointer, cells of 16 elements', dense(i, cells).pointer().dense(i, 16), 16],
      ['bitmasked', dense(i, cells).bitmasked(), 1],
      ['hash, a table for so many cells', hash(i, cells, { cells }), 1],
      ['hash, a table as large as memory allows', hash(i, cells), 1],
    ] as const)
      results.push(await activation(what, branch, stride, each));
    results.push(await appends(each));
  }
  return [...results, await launches(setup), ...(await hostAccess(setup))];
};

interface Setup {
  readonly cells: number;
  readonly rounds: number;
  readonly options: { readonly threads: number; readonly backend?: string };
}

/** A kernel writes one element of every cell, none of which is active. */
const activation = async (what: string, branch: Branch, stride: number, setup: Setup): Promise<MicroResult> => {
  const { cells, rounds, options } = setup;
  const x = field('x', 'i32');
  const write = kernel([x, 'i32'], { scope: { stride } }, (x: Grid1, n: number) => {
    for (const k of range(n)) x[k * stride] = 1;
  });
  const sum = kernel([x], (x: Grid1) => {
    let sum = 0;
    for (const k of active(x)) sum += x[k];
    return sum;
  });
  const sim = await program({ layout: layout(branch.place(x)), kernels: { write, sum }, ...options });
  /* The first time memory is touched is not counted. */
  sim.run.write(cells);
  expectEqual(what, sim.run.sum(), cells);
  const empty = (): void => {
    sim.fields.x.clear();
    expectEqual(what, sim.run.sum(), 0);
  };
  const ms = medianMs(rounds, () => sim.run.write(cells), empty);
  expectEqual(what, sim.run.sum(), cells);
  sim.dispose();
  return rate(`cells activated: ${what}`, cells / ms, options.threads);
};

/** A kernel adds to 256 lists in turn. */
const appends = async ({ cells, rounds, options }: Setup): Promise<MicroResult> => {
  const x = field('x', 'i32');
  const add = kernel([x, 'i32'], (x: Grid2, n: number) => {
    for (const k of range(n)) append(x[k % 256], 1);
  });
  const sum = kernel([x], (x: Grid2) => {
    let sum = 0;
    for (const [l, k] of active(x)) sum += x[l][k];
    return sum;
  });
  const lists = dense(i, 256).dynamic(j, cells / 256);
  const sim = await program({ layout: layout(lists.place(x)), kernels: { add, sum }, ...options });
  const what = 'elements appended to 256 lists';
  sim.run.add(cells);
  expectEqual(what, sim.run.sum(), cells);
  const ms = medianMs(
    rounds,
    () => sim.run.add(cells),
    () => sim.fields.x.clear(),
  );
  expectEqual(what, sim.run.sum(), cells);
  sim.dispose();
  return rate(what, cells / ms, options.threads);
};

/** Of all threads so many a millisecond. */
const rate = (what: string, ofAll: number, threads: number): MicroResult => ({
  what: `${what}; ${threads === 1 ? 'one thread' : `${threads} threads, each`}`,
  value: ofAll / threads / 1e3,
  unit: 'million a second',
  goal: '≥ 20',
});

/** A kernel with an argument that changes one element. */
const launches = async ({ rounds, options }: Setup): Promise<MicroResult> => {
  const x = field('x', 'i32');
  const touch = kernel([x, 'i32'], (x: Grid1, by: number) => {
    for (const k of range(1)) x[k] += by;
  });
  const sim = await program({ layout: layout(dense(i, 16).place(x)), kernels: { touch }, ...options });
  const count = 10_000;
  const many = (): void => {
    for (let k = 0; k < count; k++) sim.run.touch(1);
  };
  many();
  expectEqual('launches', sim.fields.x.get(0), count);
  const ms = medianMs(rounds, many);
  sim.dispose();
  return { what: 'launch of a small kernel, waited for', value: (1e3 * ms) / count, unit: 'µs', goal: '≤ 5' };
};

/** The host writes and reads every element of a square, one by one and whole. */
const hostAccess = async ({ cells, rounds, options }: Setup): Promise<readonly MicroResult[]> => {
  const n = 16 * Math.ceil(Math.sqrt(cells / 16) / 16);
  const results: MicroResult[] = [];
  for (const [what, above] of [
    ['dense', dense(ij, n / 16)],
    ['pointer', dense(ij, n / 16).pointer()],
  ] as const) {
    const x = field('x', 'f32');
    const touch = kernel([x], (x: Grid2) => {
      for (const [a, b] of active(x)) x[a][b] += 1;
    });
    const sim = await program({ layout: layout(above.dense(ij, 16).place(x)), kernels: { touch }, ...options });
    const { x: host } = sim.fields;
    const at = [0, 0];
    const each = (visit: (value: number) => void) => (): void => {
      for (at[0] = 0; at[0] < n; at[0]++) for (at[1] = 0; at[1] < n; at[1]++) visit(at[0] * n + at[1]);
    };
    const write = each((value) => host.set(at, value));
    let total = 0;
    const read = each(() => (total += host.get(at)));
    write();
    read();
    expectEqual(`host, ${what}`, total, (n * n * (n * n - 1)) / 2);
    const whole = host.toArray();
    expectEqual(`host, ${what}`, Number(whole[n * n - 1]), n * n - 1);
    for (const [how, run] of [
      ['written one by one', write],
      ['read one by one', read],
      ['written whole', () => host.fromArray(whole as Float32Array)],
      ['read whole', () => void host.toArray()],
    ] as const)
      results.push({
        what: `elements ${how} by the host: ${what}`,
        value: (n * n) / medianMs(rounds, run) / 1e3,
        unit: 'million a second',
      });
    sim.dispose();
  }
  return results;
};

/** The median of `run`; `before` each is not counted. */
const medianMs = (rounds: number, run: () => void, before: () => void = () => undefined): number =>
  quantile(
    Array.from({ length: rounds }, () => {
      before();
      const begin = performance.now();
      run();
      return performance.now() - begin;
    }),
    0.5,
  );

const expectEqual = (what: string, found: number, expected: number): void => {
  if (found !== expected)
    fail('bench/wrong-result', `${what}: ${found} instead of ${expected}`, {
      remedy: 'this is a fault of the program',
    });
};
