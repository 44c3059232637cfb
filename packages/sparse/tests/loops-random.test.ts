import {
  interpret,
  makeModule,
  pipeline,
  verify,
  type Kernel,
  type Module,
  type Pass,
  type TypedArray,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import { ArenaStore } from '@filigree/sparse/meaning';
import {
  RESERVED_CELLS,
  STATUS,
  arenaName,
  axesOf,
  fieldDialects,
  givenOf,
  storageOf,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cases, logOf, moduleOf, type Program } from './access-model.js';
import { ownBuffers, runOnFields } from './field-meaning.js';
import {
  leaves,
  removers,
  small,
  spreading,
  stencilKernel,
  stencils,
  steps,
  visitKernel,
  visits,
  visitsIn,
  type Stencil,
} from './loop-kernels.js';
import { right } from './support.js';

/** Every cell of every pool is active or free, once; the free ones and those never given out are ambient. */
const checkPools = ({ storage, arrays }: Machine, fields: FieldStore): void => {
  const words = arrays[arenaName(storage.memory, 'i32')] as Int32Array;
  const bytes = new Uint8Array(words.buffer);
  const word = (address: number): number => words[address / 4];
  for (const { node, pool, cellBytes } of storage.nodes) {
    if (!pool) continue;
    const [given, freeCount] = [givenOf(words, pool), word(pool.freeCount)];
    const end = word(pool.used) + Math.max(0, given.turns - freeCount);
    expect(word(pool.recycledCount)).toBe(0);
    const later = words.subarray(pool.free / 4 + Math.min(given.turns, freeCount), pool.free / 4 + freeCount);
    const free = [...given.left, ...later];
    const active: number[] = [];
    for (let n = RESERVED_CELLS; n < pool.capacity; n++) if (word(pool.active + 4 * n) !== 0) active.push(n);
    expect([...free, ...active].sort((a, b) => a - b)).toEqual(
      Array.from({ length: end - RESERVED_CELLS }, (_, n) => n + RESERVED_CELLS),
    );
    expect(active.length).toBe(fields.active(node.id).length);
    /* What found no room in a list went to a spare cell, which nobody reads or resets. */
    if (word(storage.status) !== STATUS.fine) continue;
    const cell = (n: number): Uint8Array => {
      const copy = bytes.slice(pool.cells + n * cellBytes, pool.cells + (n + 1) * cellBytes);
      forgetSnapshots(storage, node.id, copy);
      return copy;
    };
    for (const n of later) expect(cell(n)).toEqual(cell(0));
  }
};

/** Every loop makes the copies of masks and lengths that it reads, so nobody reads what an earlier one left in a cell. */
const forgetSnapshots = (storage: Storage, node: number, cell: Uint8Array): void => {
  for (const child of storage.nodes[node].node.children.map((c) => storage.nodes[c])) {
    const { snapshot, firstCell, cellBytes, storedCells, pool, offset } = child;
    if (snapshot !== undefined) cell.fill(0, offset + snapshot, offset + 2 * snapshot);
    if (pool || child.node.field) continue;
    for (let n = 0; n < storedCells; n++)
      forgetSnapshots(storage, child.node.id, cell.subarray(offset + firstCell + n * cellBytes));
  }
};

/** What runs the kernels of a module. */
interface Runner {
  readonly arrays: Readonly<Record<string, TypedArray>>;
  readonly run: (kernel: string, args?: readonly number[]) => void;
}

interface Machine extends Runner {
  readonly storage: Storage;
}

/** A module on a fresh arena; kernels are lowered when they are first run. */
const machine = (whole: Module, shape: Layout, passes: (s: Storage) => readonly Pass<Module>[]): Machine => {
  const storage = storageOf(shape, { budget: 1 << 20 });
  const dialects = fieldDialects(shape);
  const arrays = { ...ownBuffers(whole), ...new ArenaStore(storage).buffers };
  const lowered = new Map<string, Module>();
  return {
    storage,
    arrays,
    run: (kernel, args = []) => {
      const alone = { ...whole, kernels: whole.kernels.filter((k) => k.name === kernel) };
      const module = lowered.get(kernel) ?? right(pipeline(passes(storage), { check: verify(dialects) }).run(alone));
      lowered.set(kernel, module);
      const declared = new Set(module.buffers.map((b) => b.name));
      const given = Object.fromEntries(Object.entries(arrays).filter(([name]) => declared.has(name)));
      right(interpret(module, dialects, given, { kernel, args: [...args] }));
    },
  };
};

/** The same on maps, as it is. */
const onMaps = (whole: Module, shape: Layout): Runner & { readonly store: FieldStore } => {
  const store = new FieldStore(shape);
  const arrays = ownBuffers(whole);
  return { store, arrays, run: (kernel, args = []) => runOnFields(whole, store, arrays, kernel, args) };
};

const variants: readonly (readonly [string, (s: Storage) => readonly Pass<Module>[]])[] = [
  ['lowered as it is', (s) => [lowerFields(s, { simplify: false })]],
  ['simplified and optimised', (s) => [lowerFields(s), ...defaultPipeline().passes]],
];

/** A program, what visits all leaves, what deactivates, and more, on an arena and on maps. */
const setUp = (
  shape: Layout,
  program: Program,
  passes: (s: Storage) => readonly Pass<Module>[],
  further: readonly Kernel[] = [],
) => {
  const main = moduleOf(shape, program);
  const kernels = [...main.kernels, ...leaves(shape).map((n) => visitKernel(shape, n)), ...removers(shape), ...further];
  const whole = makeModule('m', [...main.buffers, ...visits], kernels);
  return { m: machine(whole, shape, passes), maps: onMaps(whole, shape) };
};

/** What a kernel noted, so many words a visit. */
const visitsOf = (m: Runner, kernel: string, words: number): readonly string[] => {
  m.arrays.visited[0] = 0;
  m.run(kernel);
  return visitsIn(m.arrays, words);
};

/** What loops over all leaves visit. */
const checkVisits = (m: Machine, maps: Runner, shape: Layout): void => {
  for (const node of leaves(shape)) {
    const words = axesOf(shape, node).length;
    expect(visitsOf(m, `visit${node}`, words)).toEqual(visitsOf(maps, `visit${node}`, words));
  }
};

const exhausted = ({ storage, arrays }: Machine): boolean =>
  arrays[arenaName(storage.memory, 'i32')][storage.status / 4] === STATUS.exhausted;

describe.each(variants)('%s', (_name, passes) => {
  it('a loop over active elements visits each of them once', () => {
    fc.assert(
      fc.property(cases(), ({ shape, program, args }) => {
        fc.pre(small(shape));
        const { m, maps } = setUp(shape, program, passes);
        for (const runner of [m, maps]) runner.run('main', args);
        fc.pre(!exhausted(m));
        checkVisits(m, maps, shape);
        checkPools(m, maps.store);
      }),
      { numRuns: 40 },
    );
  });

  it('its body sees what is around, and writes its own', () => {
    const withStencil = cases()
      .filter(({ shape }) => small(shape))
      .chain((c) => fc.tuple(fc.constant(c), stencils(c.shape)));
    fc.assert(
      fc.property(withStencil, ([{ shape, program, args }, stencil]) => {
        const [own = ''] = stencil.writes === undefined ? [...shape.fields.keys()] : [stencil.writes];
        const back: Stencil = { leaf: stencil.leaf, reads: [{ field: own, by: [0, 0, 0, 0] }], writes: undefined };
        const { m, maps } = setUp(shape, program, passes, [
          stencilKernel('stencil', shape, stencil),
          stencilKernel('back', shape, back),
        ]);
        for (const runner of [m, maps]) runner.run('main', args);
        fc.pre(maps.store.trouble === undefined);
        const words = axesOf(shape, stencil.leaf).length + 1;
        for (const kernel of ['stencil', 'stencil', 'back'])
          expect(visitsOf(m, kernel, words)).toEqual(visitsOf(maps, kernel, words));
      }),
      { numRuns: 20 },
    );
  });

  it('it visits what was active when it began, whatever its body activates', () => {
    const withSpread = cases()
      .filter(({ shape }) => small(shape))
      .chain((c) => fc.tuple(fc.constant(c), spreading(c.shape)));
    fc.assert(
      fc.property(withSpread, ([{ shape, program, args }, spread]) => {
        const { m, maps } = setUp(shape, program, passes, [stencilKernel('spread', shape, spread)]);
        for (const runner of [m, maps]) runner.run('main', args);
        fc.pre(maps.store.trouble === undefined);
        for (let n = 0; n < 2; n++) {
          const words = axesOf(shape, spread.leaf).length + 1;
          const visited = visitsOf(m, 'spread', words);
          const found = visitsOf(maps, 'spread', words);
          fc.pre(!exhausted(m));
          expect(visited).toEqual(found);
        }
        checkVisits(m, maps, shape);
        checkPools(m, maps.store);
      }),
      { numRuns: 40 },
    );
  });

  it('also after cells were deactivated, and activated again; none is lost', () => {
    const withSteps = cases()
      .filter(({ shape }) => small(shape))
      .chain((c) => fc.tuple(fc.constant(c), steps(c.shape)));
    fc.assert(
      fc.property(withSteps, ([{ shape, program, args }, list]) => {
        const { m, maps } = setUp(shape, program, passes);
        for (const runner of [m, maps]) runner.run('main', args);
        for (const s of list) {
          for (const runner of [m, maps]) runner.run(s.is === 'run' ? 'main' : s.kernel, s.args);
          fc.pre(!exhausted(m));
          checkVisits(m, maps, shape);
          checkPools(m, maps.store);
        }
        expect(logOf(m.arrays)).toEqual(logOf(maps.arrays));
      }),
      /* Each is many programs, with many loops in between. */
      { numRuns: 10 },
    );
  });
});
