import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  pipeline,
  verify,
  type Builder,
  type Module,
  type Pass,
  type TypedArray,
} from '@filigree/ir';
import { defaultPipeline } from '@filigree/opt';
import {
  RESERVED_CELLS,
  STATUS,
  arenaName,
  axesOf,
  fieldDialect,
  isSparse,
  lowerFields,
  lowerLoops,
  snodeDialect,
  storageOf,
  type Layout,
  type Storage,
} from '@filigree/sparse';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Model, allocate, freshArena, layouts, legible, moduleOf, PARAMS, programs, type Program } from './access-model.js';
import { right } from './support.js';

const RUNS = Number(process.env.FILIGREE_RUNS ?? 100);

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
      b.op('field.for', [], { node }, [region]);
    },
    [...storage.buffers, ...visits],
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
};

/** Indices along each axis among which programs write. */
const REACH = { from: -12, to: 24 };

/** Coordinates of the elements of a node that the model says are active. */
const activeElements = (model: Model, node: number): string[] => {
  const shape = model.shape;
  const found: string[] = [];
  const visit = (at: readonly number[]): void => {
    if (at.length < axesOf(shape, node).length)
      for (let x = REACH.from; x < REACH.to; x++) visit([...at, x]);
    else if (model.isActive(node, at)) found.push(at.join());
  };
  visit([]);
  return found.sort();
};

const cases = (options: { cells?: number } = {}) =>
  layouts(options).chain((shape) =>
    fc
      .record({
        shape: fc.constant(shape),
        program: programs(shape),
        args: fc.array(fc.integer({ min: -2, max: 12 }), { minLength: PARAMS.length, maxLength: PARAMS.length }),
      })
      .map(legible),
  );

interface Machine {
  readonly storage: Storage;
  readonly arrays: Readonly<Record<string, TypedArray>>;
  readonly run: (kernel: string, args?: readonly number[]) => void;
}

/** A module on a fresh arena, lowered. */
const machine = (
  shape: Layout,
  make: (storage: Storage) => Module,
  passes: (s: Storage) => readonly Pass<Module>[],
): Machine => {
  const storage = storageOf(shape, { budget: 1 << 20 });
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const lowered = right(pipeline(passes(storage), { check: verify(dialects) }).run(make(storage)));
  const arrays = allocate(lowered, storage);
  freshArena(storage, arrays);
  return {
    storage,
    arrays,
    run: (kernel, args = []) => void right(interpret(lowered, coreDialects, arrays, { kernel, args: [...args] })),
  };
};

const variants: readonly (readonly [string, (s: Storage) => readonly Pass<Module>[]])[] = [
  ['lowered as it is', (s) => [lowerLoops(s), lowerFields(s, { simplify: false })]],
  ['simplified and optimised', (s) => [lowerLoops(s), lowerFields(s), ...defaultPipeline().passes]],
];

describe('a loop over active elements visits each of them once', () => {
  it.each(variants)('%s', (_name, passes) => {
    fc.assert(
      fc.property(cases(), ({ shape, program, args }) => {
        const nodes = leaves(shape);
        const m = machine(
          shape,
          (storage) => {
            const setup = moduleOf(shape, storage, program);
            return makeModule(
              'm',
              [...setup.buffers, ...visits],
              [...setup.kernels, ...nodes.map((n) => visitKernel(shape, storage, n))],
            );
          },
          passes,
        );
        m.run('main', args);
        const model = new Model(shape);
        model.run(program, new Map(PARAMS.map((p, n) => [p, args[n]])));
        for (const node of nodes) {
          m.arrays.visited[0] = 0;
          m.run(`visit${node}`);
          const axes = axesOf(shape, node).length;
          const seen = Array.from({ length: Number(m.arrays.visited[0]) }, (_, n) =>
            [...m.arrays.visits.slice(8 * n, 8 * n + axes)].join(),
          );
          expect(seen.sort()).toEqual(activeElements(model, node));
        }
      }),
      { numRuns: RUNS },
    );
  });
});

void [RESERVED_CELLS, STATUS, arenaName, isSparse] satisfies unknown;
export type { Program };
