import { coreDialects, interpret, makeModule, pipeline, verify, type Module, type Pass } from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  RESERVED_CELLS,
  STATUS,
  arenaName,
  axesOf,
  elementsBelow,
  FieldStore,
  fieldDialect,
  lowerAccess,
  lowerFields,
  lowerLoops,
  lowerSNodes,
  pathTo,
  snodeDialect,
  storageOf,
  type Storage,
} from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Model, PARAMS, allocate, cases, freshArena, logOf, moduleOf, type Case } from './access-model.js';
import { right } from './support.js';

/** Runs a program through passes and on the model; gives what both saw. */
const both = (
  { shape, program, args }: Case,
  passes: (storage: Storage) => readonly Pass<Module>[],
  { change = (s: Storage) => s, checks = false } = {},
) => {
  const storage = change(storageOf(shape, { budget: 1 << 20 }));
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const lowered = right(pipeline(passes(storage), { check: verify(dialects) }).run(moduleOf(shape, storage, program)));
  const arrays = allocate(lowered, storage);
  freshArena(storage, arrays);
  right(interpret(lowered, coreDialects, arrays, { kernel: 'main', args: [...args] }));
  const model = new Model(shape, (node) => (storage.nodes[node].pool?.capacity ?? Infinity) - RESERVED_CELLS, checks);
  model.run(program, new Map(PARAMS.map((p, n) => [p, args[n]])));
  const words = arrays[arenaName(storage.memory, 'i32')] as Int32Array;
  return {
    model,
    storage,
    words,
    log: logOf(arrays),
    status: words[storage.status / 4],
  };
};

/** The log up to where the model no longer knows. */
const agree = (log: readonly number[], model: Model): void => {
  const known = model.log.map((x, n) => (Number.isNaN(x) ? log[n] : x)).slice(0, log.length);
  expect(log).toEqual(known);
  expect(log.length).toBe(Math.min(model.log.length, log.length));
};

type Passes = (storage: Storage) => readonly Pass<Module>[];

const nothing = {
  split: false,
  digits: false,
  merge: false,
  hoist: false,
  forward: false,
  batch: false,
  prefetch: false,
};

const variants: readonly (readonly [string, Passes])[] = [
  ['lowered as it is', (s) => [lowerLoops(s), lowerAccess(s), lowerSNodes(s)]],
  ['simplified', (s) => [lowerFields(s)]],
  ['with digits resolved', (s) => [lowerFields(s, { simplify: { ...nothing, digits: true } })]],
  ['merged', (s) => [lowerFields(s, { simplify: { ...nothing, merge: true } })]],
  ['hoisted', (s) => [lowerFields(s, { simplify: { ...nothing, digits: true, hoist: true } })]],
  ['forwarded', (s) => [lowerFields(s, { simplify: { ...nothing, merge: true, forward: true } })]],
  ['activated in batches', (s) => [lowerFields(s, { simplify: { ...nothing, batch: true } })]],
  ['with places asked for ahead', (s) => [lowerFields(s, { simplify: { ...nothing, prefetch: true } })]],
  ['simplified and optimised', (s) => [lowerFields(s), defaultPipeline()]],
];

describe('random programs on random layouts do what they do on a map', () => {
  it.each(variants)('%s', (_name, passes) => {
    fc.assert(
      fc.property(cases(), (c) => {
        const { log, model, status } = both(c, passes);
        agree(log, model);
        expect(status).toBe(model.status);
      }),
      { numRuns: 20 },
    );
  });

  it('as ops on fields, before they are lowered', () => {
    fc.assert(
      fc.property(cases(), ({ shape, program, args }) => {
        const storage = storageOf(shape, { budget: 1 << 20 });
        const module = moduleOf(shape, storage, program);
        const arrays = allocate(module, storage);
        const store = new FieldStore(shape);
        const dialects = [...coreDialects, fieldDialect(shape, store), snodeDialect(shape)];
        right(interpret(module, dialects, arrays, { kernel: 'main', args: [...args] }));
        const model = new Model(shape);
        model.run(program, new Map(PARAMS.map((p, n) => [p, args[n]])));
        agree(logOf(arrays), model);
        expect(store.trouble?.status ?? STATUS.fine).toBe(model.status);
      }),
      { numRuns: 100 },
    );
  });

  it('with addresses of 64 bits', () => {
    fc.assert(
      fc.property(cases(), fc.constantFrom(variants[0], variants[1]), (c, [, passes]) => {
        const { log, model } = both(c, passes, { change: (s) => ({ ...s, index: 'i64' }) });
        agree(log, model);
      }),
      { numRuns: 20 },
    );
  });

  it('with every index checked', () => {
    fc.assert(
      fc.property(cases(), (c) => {
        const passes: Passes = (s) => [lowerLoops(s), lowerAccess(s, { checks: true }), lowerSNodes(s)];
        const { log, model, status } = both(c, passes, { checks: true });
        agree(log, model);
        expect(status).toBe(model.status);
      }),
      { numRuns: 20 },
    );
  });

  it('and when memory runs out they end, say so, and leave the ambient cells alone', () => {
    fc.assert(
      fc.property(cases({ cells: 2 }), fc.constantFrom(variants[0], variants[1]), (c, [name, passes]) => {
        const { log, model, status, storage, words } = both(c, passes);
        /* Activations in another order may leave other elements without a cell. */
        if (name === variants[0][0]) {
          agree(log, model);
          expect(status).toBe(model.status);
        } else expect(status === STATUS.fine).toBe(model.status === STATUS.fine);
        for (const { pool, cellBytes } of storage.nodes)
          if (pool && cellBytes > 0) {
            const cell = words.slice(pool.cells / 4, (pool.cells + cellBytes) / 4);
            expect([...cell]).toEqual([...fresh(storage).slice(pool.cells / 4, (pool.cells + cellBytes) / 4)]);
          }
        expect(orphans(storage, words)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });
});

/** Active cells of pools whose coordinates are out of bounds, or those of no active cell of the pool around. */
const orphans = ({ layout: shape, nodes }: Storage, words: Int32Array): string[] => {
  const active = new Map<number, Set<string>>();
  const found: string[] = [];
  nodes.forEach(({ pool }, id) => {
    if (!pool) return;
    const around = [...pathTo(shape.nodes, id)].reverse().find((n) => n !== id && nodes[n].pool);
    const own = new Set<string>();
    active.set(id, own);
    for (let cell = RESERVED_CELLS; cell < pool.capacity; cell++) {
      if (words[pool.active / 4 + cell] === 0) continue;
      const at = [...words.slice(pool.coordinates / 4 + cell * pool.axes.length).slice(0, pool.axes.length)];
      own.add(at.join());
      const outside = pool.axes.some((axis, n) => {
        const extents = pathTo(shape.nodes, id).map((x) => shape.nodes[x]);
        const bounded = !extents.some((x) => x.kind === 'hash' && x.axes.includes(axis));
        return bounded && (at[n] < 0 || at[n] >= extents.reduce((e, x) => e * x.extents[axis], 1));
      });
      const parent =
        around === undefined
          ? undefined
          : axesOf(shape, around).map((axis) =>
              Math.floor(at[pool.axes.indexOf(axis)] / elementsBelow(shape, around, id, axis)),
            );
      if (outside || (parent && !active.get(around!)!.has(parent.join()))) found.push(`node ${id}: ${at.join()}`);
    }
  });
  return found;
};

const fresh = (storage: Storage): Int32Array => {
  const arrays = allocate(makeModule('m', storage.buffers, []), storage);
  freshArena(storage, arrays);
  return arrays[arenaName(storage.memory, 'i32')] as Int32Array;
};
