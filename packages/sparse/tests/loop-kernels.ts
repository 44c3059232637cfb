import {
  buildKernel,
  coreDialects,
  declareBuffer,
  type Builder,
  type Kernel,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import {
  axesAbove,
  axesOf,
  elementsBelow,
  fieldDialect,
  isSparse,
  pathTo,
  snodeDialect,
  type Axis,
  type Layout,
} from '@filigree/sparse/fields';
import fc from 'fast-check';
import { PARAMS } from './access-model.js';

/** Nodes whose elements a loop can visit: parents of fields. */
export const leaves = ({ nodes }: Layout): readonly number[] =>
  nodes.filter((n) => n.id > 0 && n.children.some((c) => nodes[c].field)).map((n) => n.id);

/* Loops that activate cells visit more in the end than `small` counts on: as many as a pool has. */
const VISITS = 1 << 14;
export const visits = [
  declareBuffer('visits', 'i32', 8 * VISITS, 'inout'),
  declareBuffer('visited', 'i32', 1, 'inout'),
];

/** A kernel that writes down the coordinates of every active element of a node. */
export const visitKernel = (shape: Layout, node: number) => {
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
    visits,
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
};

/** Elements of a node along an axis; undefined below a hash table. */
const extentOf = ({ nodes }: Layout, node: number, axis: number): number | undefined => {
  const path = pathTo(nodes, node).map((n) => nodes[n]);
  if (path.some((n) => n.kind === 'hash' && n.axes.includes(axis as Axis))) return undefined;
  return path.reduce((extent, n) => extent * n.extents[axis], 1);
};

const MANY = 2048;

/** Few enough elements to look at each. */
export const small = (shape: Layout): boolean =>
  leaves(shape).every((node) => axesOf(shape, node).reduce((n, a) => n * (extentOf(shape, node, a) ?? 24), 1) <= MANY);

/** Single cells of these nodes can be deactivated. */
const removable = ({ nodes }: Layout): readonly number[] =>
  nodes.filter((n) => isSparse(n) && n.kind !== 'dynamic').map((n) => n.id);

const lists = ({ nodes }: Layout): readonly number[] => nodes.filter((n) => n.kind === 'dynamic').map((n) => n.id);

/** Kernels that deactivate: one cell, all cells, the cells around some elements in a parallel loop. */
export const removers = (shape: Layout): readonly Kernel[] => {
  const dialects = [...coreDialects, fieldDialect(shape), snodeDialect(shape)];
  const serial = (name: string, op: string, node: number, axes: readonly number[]): Kernel =>
    buildKernel(
      `${name}${node}`,
      Object.fromEntries(axes.map((a) => [`c${a}`, 'i32' as const])),
      (b, params) => void b.op(op, Object.values(params), { node: shape.nodes[node].name }),
      [],
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
      [],
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
export type Step =
  | { readonly is: 'run'; readonly args: readonly number[] }
  | { readonly is: 'remove'; readonly kernel: string; readonly args: readonly number[] };

export const steps = (shape: Layout): fc.Arbitrary<readonly Step[]> => {
  const names = removers(shape).map((k) => ({
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

/** What a loop over the elements of a leaf reads around each of them, and the field of the leaf that it then writes. */
export interface Stencil {
  readonly leaf: number;
  readonly reads: readonly { readonly field: string; readonly by: readonly number[] }[];
  readonly writes: string | undefined;
  /** A field of which each iteration writes an element beside its own, or one that it shares with others, always the same value. */
  readonly spreads?: { readonly field: string; readonly by: readonly number[] };
}

/** Loops that activate, and lengthen lists, beside their elements. */
export const spreading = (shape: Layout): fc.Arbitrary<Stencil> =>
  fc
    .record({
      leaf: fc.constantFrom(...leaves(shape)),
      field: fc.constantFrom(...shape.fields.keys()),
      by: fc.array(fc.constantFrom(0, 1, 1, -1, 2, 3), { minLength: 4, maxLength: 4 }),
    })
    .map(({ leaf, field, by }) => ({ leaf, reads: [], writes: undefined, spreads: { field, by } }));

export const stencils = (shape: Layout): fc.Arbitrary<Stencil> =>
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
export const stencilKernel = (name: string, shape: Layout, { leaf, reads, writes, spreads }: Stencil): Kernel => {
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
    visits,
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
};

/** What a kernel noted when it was run, so many words a visit. */
export const visitsIn = ({ visits, visited }: Readonly<Record<string, TypedArray>>, words: number): readonly string[] =>
  Array.from({ length: Number(visited[0]) }, (_, n) => [...visits.slice(8 * n, 8 * n + words)].join()).sort();
