import type { Backend } from '@filigree/backend';
import { cpp } from '@filigree/backend-cpp';
import { wasm } from '@filigree/backend-wasm';
import {
  coreDialects,
  pipeline,
  printModule,
  buildKernel,
  makeModule,
  type Builder,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { instantiate, type Instance } from '@filigree/runtime';
import {
  RESERVED_CELLS,
  STATUS,
  arenaName,
  dense,
  dynamic,
  field,
  fieldDialect,
  givenOf,
  hash,
  i,
  ij,
  layout,
  snodeDialect,
  storageOf,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { logOf, cases, freshArena, logBuffers, moduleOf } from '../../packages/sparse/tests/access-model.js';
import { ownBuffers, runOnFields, statusOf } from '../../packages/sparse/tests/field-meaning.js';
import { right } from '../../packages/sparse/tests/support.js';

const backends: readonly (readonly [string, Backend])[] = [
  ['cpp', cpp()],
  ['wasm', wasm()],
];

const start = async (module: Module, backend: Backend, threads = 1): Promise<Instance> =>
  right(await instantiate(module, backend, { threads })());

describe.each(backends)('random programs on random layouts, compiled by %s', (_name, backend) => {
  it('do what they do on a map', async () => {
    const sample = fc.sample(cases(), { numRuns: 15, seed: 7 }).map((c, n) => {
      const storage = storageOf(c.shape, { memory: `arena${n}`, budget: 1 << 18 });
      const module = right(lowerFields(storage).run(moduleOf(c.shape, c.program)));
      return { ...c, storage, buffers: module.buffers, kernel: { ...module.kernels[0], name: `main${n}` } };
    });
    /* The log is one for all; lowering may have added buffers of its own. */
    const every = [...logBuffers, ...sample.flatMap((c) => c.buffers)];
    const buffers = [...new Map(every.map((b) => [b.name, b])).values()];
    const all = makeModule(
      'all',
      buffers,
      sample.map((c) => c.kernel),
    );
    const program = await start(right(defaultPipeline().run(all)), backend);
    sample.forEach(({ shape, storage, args, program: text }, n) => {
      freshArena(storage, program.buffers);
      program.buffers.logged[0] = 0;
      program.launch(`main${n}`, args);
      const written = moduleOf(shape, text);
      const maps = ownBuffers(written);
      const store = new FieldStore(shape);
      runOnFields(written, store, maps, 'main', args);
      expect(logOf(program.buffers), printModule(all)).toEqual(logOf(maps));
      expect(wordsOf(storage, program.buffers)[storage.status / 4]).toBe(statusOf(store));
    });
    program.dispose();
  }, 300_000);
});

const wordsOf = (storage: Storage, buffers: Readonly<Record<string, TypedArray>>): Int32Array =>
  buffers[arenaName(storage.memory, 'i32')] as Int32Array;

const THREADS = 8;

describe.each(backends)('many threads that activate the same cells at once, by %s', (_name, backend) => {
  const u = field('u', 'i32');

  /** Runs `body` for each of so many iterations, spread over threads such that all of them work on the same elements. */
  const race = async (shape: Layout, elements: number, body: (b: Builder, x: Value) => void) => {
    const storage = storageOf(shape, { budget: 1 << 24 });
    const kernel = buildKernel(
      'race',
      {},
      (b) =>
        void b.for(b.i32(0), b.i32(elements * THREADS), b.i32(1), { parallel: true }, [], (n) =>
          body(b, b.rem(n, b.i32(elements))),
        ),
      storage.buffers,
      { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
    );
    const module = right(
      pipeline([lowerFields(storage), defaultPipeline()]).run(makeModule('m', storage.buffers, [kernel])),
    );
    const program = await start(module, backend, THREADS);
    freshArena(storage, program.buffers);
    program.launch('race', []);
    return { storage, words: wordsOf(storage, program.buffers), dispose: () => program.dispose() };
  };

  /** Numbers of a pool's active cells, after a look at what must hold of it. */
  const activeOf = (storage: Storage, words: Int32Array, node: number): number[] => {
    const pool = storage.nodes[node].pool!;
    const [used, free] = [pool.used, pool.freeCount].map((at) => words[at / 4]);
    const given = givenOf(words, pool);
    const end = used + Math.max(0, given.turns - free);
    const idle = [
      ...given.left,
      ...words.slice(pool.free / 4 + Math.min(given.turns, free), pool.free / 4 + free),
      ...words.slice(pool.recycled / 4, pool.recycled / 4 + words[pool.recycledCount / 4]),
    ];
    const active: number[] = [];
    const places = new Set<string>();
    for (let cell = RESERVED_CELLS; cell < end; cell++) {
      if (words[pool.active / 4 + cell] !== 1) continue;
      active.push(cell);
      const at = pool.coordinates / 4 + cell * pool.axes.length;
      places.add(words.slice(at, at + pool.axes.length).join());
    }
    expect(places.size, 'no cell twice').toBe(active.length);
    expect(
      [...active, ...idle].sort((x, y) => x - y),
      'each cell is active or given back, and once',
    ).toEqual(Array.from({ length: end - RESERVED_CELLS }, (_, n) => RESERVED_CELLS + n));
    return active;
  };

  /** Every element was counted once by each thread, wherever its cell lies. */
  const total = (words: Int32Array, { nodes }: Storage, node: number, cells: readonly number[]): number => {
    const { pool, cellBytes } = nodes[node];
    return cells.reduce((sum, cell) => {
      const at = (pool!.cells + cell * cellBytes) / 4;
      return sum + words.subarray(at, at + cellBytes / 4).reduce((s, x) => s + x, 0);
    }, 0);
  };

  const count = (shape: Layout, b: Builder, x: Value): void => {
    const at = shape.fields.get('u')!.axes.map((_, n) => (n === 0 ? x : b.i32(1)));
    b.value('field.atomic', [b.i32(1), ...at], { field: 'u', kind: 'add' });
  };

  it('of a pointer node: none is made twice, none is lost', async () => {
    const shape = layout(dense(i, 4096).pointer().dense(i, 4).place(u));
    const { storage, words, dispose } = await race(shape, 4 * 4096, (b, x) => count(shape, b, x));
    const active = activeOf(storage, words, 1);
    expect(active).toHaveLength(4096);
    expect(total(words, storage, 1, active)).toBe(4 * 4096 * THREADS);
    expect(words[storage.status / 4]).toBe(STATUS.fine);
    dispose();
  }, 120_000);

  it('of pointers behind pointers', async () => {
    const shape = layout(dense(i, 64).pointer().dense(i, 64).pointer().dense(ij, [2, 2]).place(u));
    const { storage, words, dispose } = await race(shape, 64 * 64 * 2, (b, x) => count(shape, b, x));
    expect(activeOf(storage, words, 1)).toHaveLength(64);
    const active = activeOf(storage, words, 2);
    expect(active).toHaveLength(64 * 64);
    expect(total(words, storage, 2, active)).toBe(64 * 64 * 2 * THREADS);
    dispose();
  }, 120_000);

  it('of a hash table', async () => {
    const shape = layout(hash(i, 1, { cells: 5000 }).dense(i, 4).place(u));
    const { storage, words, dispose } = await race(shape, 4 * 4096, (b, x) =>
      count(shape, b, b.sub(x, b.i32(2 * 4096))),
    );
    const active = activeOf(storage, words, 1);
    expect(active).toHaveLength(4096);
    expect(total(words, storage, 1, active)).toBe(4 * 4096 * THREADS);
    dispose();
  }, 120_000);

  it('of a bitmasked node', async () => {
    const shape = layout(
      dense(i, 1 << 16)
        .bitmasked()
        .place(u),
    );
    const { storage, words, dispose } = await race(shape, 1 << 16, (b, x) => count(shape, b, x));
    const mask = storage.root / 4;
    expect(words.slice(mask, mask + (1 << 11)).every((word) => word === -1)).toBe(true);
    dispose();
  }, 120_000);

  it('of a list: each place is given once, and what finds none is reported', async () => {
    const shape = layout(dynamic(i, 5000).place(u));
    const { storage, words, dispose } = await race(shape, 1000, (b) => {
      const place = b.value('field.append', [], { node: 'up.u' });
      b.value('field.atomic', [b.i32(1), place], { field: 'u', kind: 'add' });
    });
    const { firstCell, length, cells } = storage.nodes[1];
    const first = (storage.root + firstCell) / 4;
    expect(words[(storage.root + length!) / 4]).toBe(cells);
    expect(words.slice(first, first + cells).every((x) => x === 1)).toBe(true);
    /* The border cell, behind the last, is not written. */
    expect(words[first + cells]).toBe(0);
    expect(words[storage.status / 4]).toBe(STATUS.listFull);
    dispose();
  }, 120_000);

  it('of a node that has no room for all of them: the rest is reported and goes nowhere', async () => {
    const shape = layout(dense(i, 4096).pointer({ cells: 100 }).dense(i, 4).place(u));
    const { storage, words, dispose } = await race(shape, 4 * 4096, (b, x) => count(shape, b, x));
    expect(activeOf(storage, words, 1).length).toBeLessThanOrEqual(100);
    expect(words[storage.status / 4]).toBe(STATUS.exhausted);
    const { cells } = storage.nodes[1].pool!;
    expect([...words.slice(cells / 4, cells / 4 + 4)]).toEqual([0, 0, 0, 0]);
    dispose();
  }, 120_000);

  it.each([5, 300, 3001])(
    'of a node that has room for %i cells: all of them are found, by whichever thread',
    async (room) => {
      /* So many iterations are worth several threads, and few of them need a cell. */
      const every = 1024;
      const places = room + 1;
      const shape = layout(dense(i, places).pointer({ cells: room }).place(u));
      const storage = storageOf(shape, { budget: 1 << 24 });
      const activate = (name: string, from: number, to: number) =>
        buildKernel(
          name,
          {},
          (b) =>
            void b.for(b.i32(0), b.i32((to - from) * every), b.i32(1), { parallel: true }, [], (n) => {
              const [at, rest] = [b.shr(n, b.i32(Math.log2(every))), b.and(n, b.i32(every - 1))];
              b.if(b.cmp('eq', rest, b.i32(0)), () => {
                b.op('field.store', [b.i32(1), b.add(b.i32(from), at)], { field: 'u' });
              });
            }),
          storage.buffers,
          { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
        );
      const half = Math.ceil(room / 2);
      const kernels = [activate('some', 0, half), activate('rest', half, room), activate('more', 0, places)];
      const module = right(
        pipeline([lowerFields(storage), defaultPipeline()]).run(makeModule('m', storage.buffers, kernels)),
      );
      const program = await start(module, backend, THREADS);
      freshArena(storage, program.buffers);
      const words = wordsOf(storage, program.buffers);
      program.launch('some', []);
      expect(activeOf(storage, words, 1)).toHaveLength(half);
      program.launch('rest', []);
      expect(words[storage.status / 4]).toBe(STATUS.fine);
      expect(activeOf(storage, words, 1)).toHaveLength(room);
      program.launch('more', []);
      expect(words[storage.status / 4]).toBe(STATUS.exhausted);
      expect(activeOf(storage, words, 1)).toHaveLength(room);
      program.dispose();
    },
    120_000,
  );
});
