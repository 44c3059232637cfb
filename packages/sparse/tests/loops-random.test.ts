import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  pipeline,
  verify,
  type Builder,
  type Kernel,
  type Module,
  type Pass,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  RESERVED_CELLS,
  STATUS,
  arenaName,
  axesAbove,
  axesOf,
  elementsBelow,
  pathTo,
  fieldDialect,
  givenOf,
  isSparse,
  lowerFields,
  snodeDialect,
  storageOf,
  type Axis,
  type Layout,
  type Storage,
} from '@filigree/sparse/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Model, PARAMS, allocate, cases, freshArena, logOf, moduleOf, type Program } from './access-model.js';
import { right } from './support.js';

/** Nodes whose elements a loop can visit: parents of fields. */
const leaves = ({ nodes }: Layout): readonly number[] =>
  nodes.filter((n) => n.id > 0 && n.children.some((c) => nodes[c].field)).map((n) => n.id);

const VISITS = 4096;
const visits = [declareBuffer('visits', 'i32', 8 * VISITS, 'inout'), declareBuffer('visited', 'i32', 1, 'inout')];

/** A kernel that writes down the coordinates of every active element of a node. */
const visitKernel = (shape: Layout, storage: Storage, node: number) => {
  const axes = axesOf(shape, node);
  const note = (b: Builder, coordinates: Parameters<Builder['op']>[1] & object): void => {
    const at = b.mul(b.atomic('visited', 'add', b.i32(1), b.i32(0)), b.i32(8));
    coordinates.forEach((c, n) => b.store('visits', c, b.add(at, b.i32(n))));
  };
  return buildKernel(
    `visit${node}`,
    {},
    (b) => {
      const { region } = b.region(
        axes.map(() => ({ type: 'i32' as const })),
        (coordinates) => note(b, coordinates),
      );
      b.op('field.for', [], { node: shape.nodes[node].name }, [region]);
    },
    [...storage.buffers, ...visits],
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
};

/** Coordinates of the elements of a node that the model says are active. */
const activeElements = (model: Model, node: number): string[] => {
  const { shape } = model;
  const axes = axesOf(shape, node);
  const found: string[] = [];
  const visit = (at: readonly number[], ranges: readonly (readonly [from: number, to: number])[]): void => {
    if (ranges.length === 0) return void (model.isActive(node, at) && found.push(at.join()));
    for (let x = ranges[0][0]; x < ranges[0][1]; x++) visit([...at, x], ranges.slice(1));
  };
  const table = pathTo(shape.nodes, node).find((n) => shape.nodes[n].kind === 'hash');
  const cells = table === undefined ? [''] : [...(model.active.get(table) ?? [])];
  for (const key of cells)
    visit(
      [],
      axes.map((axis) => {
        const extent = extentOf(shape, node, axis);
        if (extent !== undefined || table === undefined) return [0, extent ?? 0];
        const size = elementsBelow(shape, table, node, axis);
        const cell = Number(key.split(',')[axesOf(shape, table).indexOf(axis)]);
        return [size * cell, size * (cell + 1)];
      }),
    );
  return found.sort();
};

/** Elements of a node along an axis; undefined below a hash table. */
const extentOf = ({ nodes }: Layout, node: number, axis: number): number | undefined => {
  const path = pathTo(nodes, node).map((n) => nodes[n]);
  if (path.some((n) => n.kind === 'hash' && n.axes.includes(axis as Axis))) return undefined;
  return path.reduce((extent, n) => extent * n.extents[axis], 1);
};

/** Few enough elements to look at each. */
const small = (shape: Layout): boolean =>
  leaves(shape).every(
    (node) => axesOf(shape, node).reduce((n, a) => n * (extentOf(shape, node, a) ?? 24), 1) <= VISITS / 2,
  );

/** Single cells of these nodes can be deactivated. */
const removable = ({ nodes }: Layout): readonly number[] =>
  nodes.filter((n) => isSparse(n) && n.kind !== 'dynamic').map((n) => n.id);

const lists = ({ nodes }: Layout): readonly number[] => nodes.filter((n) => n.kind === 'dynamic').map((n) => n.id);

/** Which elements `prune` kernels pick. */
const picked = (at: readonly number[]): boolean => (at.reduce((x, c) => x + c, 0) & 3) === 1;

/** Kernels that deactivate: one cell, all cells, the cells around some elements in a parallel loop. */
const removers = (shape: Layout, storage: Storage): readonly Kernel[] => {
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const serial = (name: string, op: string, node: number, axes: readonly number[]): Kernel =>
    buildKernel(
      `${name}${node}`,
      Object.fromEntries(axes.map((a) => [`c${a}`, 'i32' as const])),
      (b, params) => void b.op(op, Object.values(params), { node: shape.nodes[node].name }),
      storage.buffers,
      { dialects },
    );
  const prune = (leaf: number, node: number): Kernel =>
    buildKernel(
      `prune${node}_at_${leaf}`,
      {},
      (b) => {
        const axes = axesOf(shape, leaf);
        const { region } = b.region(
          axes.map(() => ({ type: 'i32' as const })),
          (c) => {
            const sum = c.reduce((x, y) => b.add(x, y), b.i32(0));
            b.if(b.cmp('eq', b.and(sum, b.i32(3)), b.i32(1)), () => {
              const cell = axesOf(shape, node).map((a) =>
                b.value('snode.extract', [c[axes.indexOf(a)]], {
                  below: elementsBelow(shape, node, leaf, a),
                  extent: 0,
                  signed: true,
                }),
              );
              b.op('field.deactivate', cell, { node: shape.nodes[node].name });
            });
          },
        );
        b.op('field.for', [], { node: shape.nodes[leaf].name }, [region]);
      },
      storage.buffers,
      { dialects },
    );
  return [
    ...removable(shape).flatMap((n) => [
      serial('deactivate', 'field.deactivate', n, axesOf(shape, n)),
      ...leaves(shape)
        .filter((leaf) => pathTo(shape.nodes, leaf).includes(n))
        .map((leaf) => prune(leaf, n)),
    ]),
    ...lists(shape).map((n) => serial('clear', 'field.clear', n, axesAbove(shape, n))),
    ...shape.nodes.filter(isSparse).map((n) => serial('clear_all', 'field.clear_all', n.id, [])),
  ];
};

/** What may happen to an arena. */
type Step =
  | { readonly is: 'run'; readonly args: readonly number[] }
  | { readonly is: 'remove'; readonly kernel: string; readonly args: readonly number[] };

const steps = (shape: Layout): fc.Arbitrary<readonly Step[]> => {
  const names = removers(shape, storageOf(shape, { budget: 1 << 16 })).map((k) => ({
    kernel: k.name,
    count: k.params.length,
  }));
  const run = fc.record({
    is: fc.constant('run' as const),
    args: fc.array(fc.integer({ min: -2, max: 12 }), { minLength: PARAMS.length, maxLength: PARAMS.length }),
  });
  if (names.length === 0) return fc.array(run, { maxLength: 2 });
  const removal = fc.constantFrom(...names).chain(({ kernel, count }) =>
    fc.record({
      is: fc.constant('remove' as const),
      kernel: fc.constant(kernel),
      args: fc.array(fc.integer({ min: -1, max: 4 }), { minLength: count, maxLength: count }),
    }),
  );
  return fc.array(fc.oneof(run, { arbitrary: removal, weight: 3 }), { minLength: 1, maxLength: 12 });
};

/** What the model makes of a kernel that removes. */
const removeInModel = (model: Model, kernel: string, args: readonly number[]): void => {
  const { shape } = model;
  const [, name, first, leaf] = /^([a-z_]+?)(\d+)(?:_at_(\d+))?$/.exec(kernel)!;
  const node = Number(first);
  if (name === 'deactivate') model.remove(node, args);
  else if (name === 'clear') model.remove(shape.nodes[node].parent, args, node);
  else if (name === 'clear_all') model.remove(0, [], node);
  else
    for (const key of activeElements(model, Number(leaf))) {
      const at = key.split(',').map(Number);
      if (!picked(at)) continue;
      const axes = axesOf(shape, Number(leaf));
      const cell = axesOf(shape, node).map((a) =>
        Math.floor(at[axes.indexOf(a)] / elementsBelow(shape, node, Number(leaf), a)),
      );
      model.remove(node, cell);
    }
};

/** Every cell of every pool is active or free, once; the free ones and those never given out are ambient. */
const checkPools = ({ storage, arrays }: Machine, model: Model): void => {
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
    expect(active.length).toBe(model.active.get(node.id)?.size ?? 0);
    /* What found no room in a list went to a spare cell, which nobody reads or resets. */
    if (word(storage.status) !== STATUS.fine) continue;
    const cell = (n: number): Uint8Array =>
      bytes.subarray(pool.cells + n * cellBytes, pool.cells + (n + 1) * cellBytes);
    for (const n of later) expect(cell(n)).toEqual(cell(0));
  }
};

interface Machine {
  readonly storage: Storage;
  readonly arrays: Readonly<Record<string, TypedArray>>;
  readonly run: (kernel: string, args?: readonly number[]) => void;
}

/** A module on a fresh arena; kernels are lowered when they are first run. */
const machine = (
  shape: Layout,
  make: (storage: Storage) => Module,
  passes: (s: Storage) => readonly Pass<Module>[],
): Machine => {
  const storage = storageOf(shape, { budget: 1 << 20 });
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const whole = make(storage);
  const arrays = allocate(whole, storage);
  freshArena(storage, arrays);
  const lowered = new Map<string, Module>();
  return {
    storage,
    arrays,
    run: (kernel, args = []) => {
      const alone = { ...whole, kernels: whole.kernels.filter((k) => k.name === kernel) };
      const module = lowered.get(kernel) ?? right(pipeline(passes(storage), { check: verify(dialects) }).run(alone));
      lowered.set(kernel, module);
      right(interpret(module, coreDialects, arrays, { kernel, args: [...args] }));
    },
  };
};

const variants: readonly (readonly [string, (s: Storage) => readonly Pass<Module>[]])[] = [
  ['lowered as it is', (s) => [lowerFields(s, { simplify: false })]],
  ['simplified and optimised', (s) => [lowerFields(s), ...defaultPipeline().passes]],
];

/** What a loop over the elements of a leaf reads around each of them, and the field of the leaf that it then writes. */
interface Stencil {
  readonly leaf: number;
  readonly reads: readonly { readonly field: string; readonly by: readonly number[] }[];
  readonly writes: string | undefined;
  /** A field of which each iteration writes an element beside its own, or one that it shares with others, always the same value. */
  readonly spreads?: { readonly field: string; readonly by: readonly number[] };
}

/** Loops that activate, and lengthen lists, beside their elements. */
const spreading = (shape: Layout): fc.Arbitrary<Stencil> =>
  fc
    .record({
      leaf: fc.constantFrom(...leaves(shape)),
      field: fc.constantFrom(...shape.fields.keys()),
      by: fc.array(fc.constantFrom(0, 1, 1, -1, 2, 3), { minLength: 4, maxLength: 4 }),
    })
    .map(({ leaf, field, by }) => ({ leaf, reads: [], writes: undefined, spreads: { field, by } }));

const stencils = (shape: Layout): fc.Arbitrary<Stencil> =>
  fc.constantFrom(...leaves(shape)).chain((leaf) => {
    const own = shape.nodes[leaf].children.flatMap((c) => shape.nodes[c].field?.name ?? []);
    return fc.constantFrom(...own, undefined).chain((writes) => {
      const others = [...shape.fields.keys()].filter((name) => name !== writes);
      const by = fc.array(fc.constantFrom(0, 0, 0, 1, -1, 2, -3), { minLength: 4, maxLength: 4 });
      const read = (): fc.Arbitrary<Stencil['reads'][number]> => fc.record({ field: fc.constantFrom(...others), by });
      return fc.record({
        leaf: fc.constant(leaf),
        writes: fc.constant(writes),
        reads: others.length === 0 ? fc.constant([]) : fc.array(read(), { minLength: 1, maxLength: 6 }),
      });
    });
  });

/** Notes for each element its coordinates and a sum of what is around; writes some of that sum. */
const stencilKernel = (
  name: string,
  shape: Layout,
  storage: Storage,
  { leaf, reads, writes, spreads }: Stencil,
): Kernel => {
  const axes = axesOf(shape, leaf);
  return buildKernel(
    name,
    {},
    (b) => {
      const { region } = b.region(
        axes.map(() => ({ type: 'i32' as const })),
        (at) => {
          const beside = (field: string, by: readonly number[]): Value[] =>
            shape.fields.get(field)!.axes.map((a) => {
              const own = axes.includes(a) ? at[axes.indexOf(a)] : b.i32(0);
              return by[a] === 0 ? own : b.add(own, b.i32(by[a]));
            });
          const sum = reads.reduce((x, { field, by }, k) => {
            const read = b.value('field.load', beside(field, by), { field });
            return b.add(x, b.mul(b.cast(read, 'i32'), b.i32(k + 1)));
          }, b.i32(0));
          const entry = b.mul(b.atomic('visited', 'add', b.i32(1), b.i32(0)), b.i32(8));
          [...at, sum].forEach((c, n) => b.store('visits', c, b.add(entry, b.i32(n))));
          if (spreads) {
            const { type } = shape.fields.get(spreads.field)!.field;
            const one = b.constant(type === 'i1' ? true : type === 'i64' ? 1n : 1, type);
            b.op('field.store', [one, ...beside(spreads.field, spreads.by)], { field: spreads.field });
          }
          if (writes === undefined) return;
          const { type } = shape.fields.get(writes)!.field;
          const few = b.and(sum, b.i32(type === 'i1' ? 1 : 31));
          const value = type === 'i1' ? b.cmp('ne', few, b.i32(0)) : b.cast(few, type);
          b.op('field.store', [value, ...at], { field: writes });
        },
      );
      b.op('field.for', [], { node: shape.nodes[leaf].name }, [region]);
    },
    [...storage.buffers, ...visits],
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
};

/** What the stencil finds by the model, and writes into it. */
const stencilInModel = (model: Model, { leaf, reads, writes, spreads }: Stencil): readonly string[] => {
  const axes = axesOf(model.shape, leaf);
  const beside = (at: readonly number[], field: string, by: readonly number[]): number[] =>
    model.shape.fields.get(field)!.axes.map((a) => by[a] + (axes.includes(a) ? at[axes.indexOf(a)] : 0));
  const found = activeElements(model, leaf).map((key) => {
    const at = key === '' ? [] : key.split(',').map(Number);
    const sum = reads.reduce((x, { field, by }, k) => {
      return (x + (k + 1) * Math.trunc(model.load(field, beside(at, field, by)))) | 0;
    }, 0);
    return { at, sum };
  });
  if (spreads) for (const { at } of found) model.write(spreads.field, beside(at, spreads.field, spreads.by), 1);
  if (writes !== undefined) {
    const { type } = model.shape.fields.get(writes)!.field;
    for (const { at, sum } of found) model.write(writes, at, sum & (type === 'i1' ? 1 : 31));
  }
  return found.map(({ at, sum }) => [...at, sum].join()).sort();
};

const setUp = (
  shape: Layout,
  program: Program,
  passes: (s: Storage) => readonly Pass<Module>[],
  further: (storage: Storage) => readonly Kernel[] = () => [],
): Machine =>
  machine(
    shape,
    (storage) => {
      const main = moduleOf(shape, storage, program);
      const kernels = [
        ...main.kernels,
        ...leaves(shape).map((n) => visitKernel(shape, storage, n)),
        ...removers(shape, storage),
        ...further(storage),
      ];
      return makeModule('m', [...main.buffers, ...visits], kernels);
    },
    passes,
  );

/** What a kernel noted, so many words a visit. */
const visitsOf = (m: Machine, kernel: string, words: number): readonly string[] => {
  m.arrays.visited[0] = 0;
  m.run(kernel);
  return Array.from({ length: Number(m.arrays.visited[0]) }, (_, n) =>
    [...m.arrays.visits.slice(8 * n, 8 * n + words)].join(),
  ).sort();
};

/** What loops over all leaves visit. */
const checkVisits = (m: Machine, model: Model): void => {
  for (const node of leaves(model.shape))
    expect(visitsOf(m, `visit${node}`, axesOf(model.shape, node).length)).toEqual(activeElements(model, node));
};

const named = (args: readonly number[]): ReadonlyMap<string, number> => new Map(PARAMS.map((p, n) => [p, args[n]]));

const exhausted = ({ storage, arrays }: Machine): boolean =>
  arrays[arenaName(storage.memory, 'i32')][storage.status / 4] === STATUS.exhausted;

describe.each(variants)('%s', (_name, passes) => {
  it('a loop over active elements visits each of them once', () => {
    fc.assert(
      fc.property(cases(), ({ shape, program, args }) => {
        fc.pre(small(shape));
        const m = setUp(shape, program, passes);
        const model = new Model(shape);
        m.run('main', args);
        model.run(program, named(args));
        fc.pre(!exhausted(m));
        checkVisits(m, model);
        checkPools(m, model);
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
        const m = setUp(shape, program, passes, (storage) => [
          stencilKernel('stencil', shape, storage, stencil),
          stencilKernel('back', shape, storage, back),
        ]);
        const model = new Model(shape);
        m.run('main', args);
        model.run(program, named(args));
        fc.pre(model.status === STATUS.fine);
        for (const [kernel, what] of [
          ['stencil', stencil],
          ['stencil', stencil],
          ['back', back],
        ] as const)
          expect(visitsOf(m, kernel, axesOf(shape, stencil.leaf).length + 1)).toEqual(stencilInModel(model, what));
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
        const m = setUp(shape, program, passes, (storage) => [stencilKernel('spread', shape, storage, spread)]);
        const model = new Model(shape);
        m.run('main', args);
        model.run(program, named(args));
        fc.pre(model.status === STATUS.fine);
        for (let n = 0; n < 2; n++) {
          const visited = visitsOf(m, 'spread', axesOf(shape, spread.leaf).length + 1);
          const found = stencilInModel(model, spread);
          fc.pre(!exhausted(m));
          expect(visited).toEqual(found);
        }
        checkVisits(m, model);
        checkPools(m, model);
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
        const m = setUp(shape, program, passes);
        const model = new Model(shape);
        m.run('main', args);
        model.run(program, named(args));
        for (const s of list) {
          m.run(s.is === 'run' ? 'main' : s.kernel, s.args);
          fc.pre(!exhausted(m));
          if (s.is === 'run') model.run(program, named(s.args));
          else removeInModel(model, s.kernel, s.args);
          checkVisits(m, model);
          checkPools(m, model);
        }
        const log = logOf(m.arrays);
        expect(log).toEqual(model.log.slice(0, log.length).map((x, n) => (Number.isNaN(x) ? log[n] : x)));
      }),
      /* Each is many programs, with many loops in between. */
      { numRuns: 10 },
    );
  });
});
