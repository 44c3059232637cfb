import { describe, expect, it } from 'vitest';
import { cpp } from '@filigree/backend-cpp';
import type { ExampleOptions, ExampleResult } from 'filigree';
import { gallery } from '../src/index.js';
import { byTurns } from './share.js';

// On a machine for continuous integration a missing compiler is a failure, elsewhere a reason to skip.
const hasCompiler = (await cpp().probe()).usable || process.env.CI === 'true';

const run = (
  name: string,
  args: Record<string, string>,
  options: Partial<ExampleOptions> = {},
): Promise<ExampleResult> =>
  gallery[name].run({
    args,
    dtype: 'f64',
    threads: 1,
    seed: 3,
    bench: false,
    ablate: [],
    progress: () => undefined,
    ...options,
  });

/** Elements, and how many of the reference's tasks there are at the least for each that is launched with the queue. */
const SMALL: readonly (readonly [name: string, n: string, fewer: number])[] = [
  ['chain-copy', '4096', 10],
  ['increments', '4096', 50],
  ['fill-array', '4096', 10],
  ['sparse-saxpy', '64', 15],
  ['stencil-reduction', '4096', 12],
  ['simple-advection', '64', 5],
  ['multires', '4096', 5],
  ['deep-hierarchy', '65536', 17],
  ['mpm-split', '16', 2.5],
  ['autodiff-reduction', '4096', 3.3],
  ['mgpcg2d', '64', 4.7],
  ['autodiff-forces', '32', 1.54],
  ['mpm-g2p2g', '16', 2.04],
];

const backends = ['wasm', ...(hasCompiler ? ['cpp'] : [])];

/** Nodes along an axis are few where there are two or three of them. */
const LARGE: readonly (readonly [name: string, n: string])[] = [
  ['mpm-split', '2049'],
  ['maccormack', '257'],
  ['mpm-g2p2g', '1009'],
];

describe('many elements', () => {
  it.each(LARGE)('%s of %s nodes an axis is refused before anything is made', async (name, n) => {
    await expect(run(name, { n }, { backend: 'wasm' })).rejects.toMatchObject({
      diagnostics: [{ code: 'example/argument', message: `'n' is '${n}'` }],
    });
  });

  it('mpm-split computes what the plain program computes where products of particles and a factor are no i32', async () => {
    const { check } = await run('mpm-split', { n: '384', steps: '1' }, { backend: 'wasm' });
    expect(check).toMatchObject({ passed: true });
  });
});

describe.each(backends)('queued launches on %s', (backend) => {
  it.each(byTurns(SMALL, backends, backend))(
    '%s computes what the plain program computes, in fewer tasks',
    async (name, n, fewer) => {
      const pictures: string[] = [];
      const draw = (title: string): void => void pictures.push(title);
      const warnings: unknown[] = [];
      const options = { backend, draw, warn: (all: readonly unknown[]) => void warnings.push(...all) };
      const on = await run(name, { n, steps: '2' }, options);
      expect(on.check).toMatchObject({ passed: true });
      expect(warnings).toEqual([]);
      expect(pictures).toEqual([
        'Launches',
        'After demotion',
        'After list-removal',
        'After dead-stores',
        'After fusion',
        'Planning, compiling, running',
      ]);
      const { referenceTasks, tasksLaunched } = on.metrics;
      expect(Number(referenceTasks) / Number(tasksLaunched)).toBeGreaterThanOrEqual(fewer);
    },
    120_000,
  );
});

it.each(backends)(
  'a sparse product and a traced update are one loop on %s',
  async (backend) => {
    const args = { n: '10000', steps: '4' };
    for (const threads of [1, 2]) {
      const on = await run('relaxation', args, { backend, threads });
      expect(on.check).toMatchObject({ passed: true });
      expect(on.metrics).toMatchObject({ launches: 16, tasksLaunched: 8 });
    }
    const off = await run('relaxation', { ...args, queue: 'off' }, { backend });
    expect(off.check).toMatchObject({ passed: true });
    const unfused = await run('relaxation', args, { backend, ablate: ['fusion'] });
    expect(unfused.metrics.tasksLaunched).toBe(16);
  },
  60_000,
);

it.each(backends)(
  'two sparse products and a kernel on fields are one loop over the vertices of a mesh on %s',
  async (backend) => {
    const args = { n: '11000', steps: '2' };
    const on = await run('surface-patterns', args, { backend, threads: 2 });
    expect(on.check).toMatchObject({ passed: true });
    expect(on.metrics).toMatchObject({ launches: 12, tasksLaunched: 4 });
    const off = await run('surface-patterns', { ...args, queue: 'off' }, { backend });
    expect(off.check).toMatchObject({ passed: true });
    expect(off.metrics).toMatchObject({ launches: 12, tasksLaunched: 12, plans: 0 });
  },
  60_000,
);

it.each(['multires', 'deep-hierarchy'])('%s needs its lists once, where blocks are marked by bits', async (name) => {
  const options = { backend: 'wasm' };
  const args = { n: '65536', steps: '2', layout: 'bitmasked' };
  const on = await run(name, args, options);
  const off = await run(name, { ...args, queue: 'off' }, options);
  const kept = await run(name, args, { ...options, ablate: ['list-removal'] });
  for (const { check } of [on, off, kept]) expect(check).toMatchObject({ passed: true });
  expect(off.metrics.tasksLaunched).toBe(2 * Number(off.metrics.launches));
  expect(on.metrics.tasksLaunched).toBe(on.metrics.launches);
  expect(Number(kept.metrics.tasksLaunched)).toBeGreaterThan(Number(on.metrics.tasksLaunched));
});

it('without the queue, and without a pass, there is more to launch', async () => {
  const backend = 'wasm';
  const args = { n: '4096', steps: '2' };
  const off = await run('increments', { ...args, queue: 'off' }, { backend });
  expect(off.check).toMatchObject({ passed: true });
  expect(off.metrics).toMatchObject({ tasksLaunched: 20, referenceTasks: 100, plans: 0 });
  const unfused = await run('increments', args, { backend, ablate: ['fusion'] });
  expect(unfused.metrics.tasksLaunched).toBe(20);
  await expect(run('increments', { queue: 'maybe' }, { backend })).rejects.toThrow("'queue' is 'maybe'");
});

it('what only a value needs that nobody asks for is not computed', async () => {
  const args = { n: '32', steps: '2' };
  const tasks = async (ablate: readonly string[]): Promise<number> => {
    const { check, metrics } = await run('autodiff-forces', args, { backend: 'wasm', ablate });
    expect(check).toMatchObject({ passed: true });
    return Number(metrics.tasksLaunched);
  };
  expect(await tasks(['dead-stores'])).toBeGreaterThan(await tasks([]));
});
