import {
  buildKernel,
  coreDialects,
  declareBuffer,
  makeModule,
  type Builder,
  type Kernel,
  type Module,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { buffersWritten, type Launchable } from '@filigree/runtime';
import {
  axesAbove,
  axesOf,
  elementsBelow,
  fieldDialect,
  isSparse,
  type Layout,
  type PlacedField,
} from '@filigree/sparse/fields';

/**
 * Kernels for each field of a layout, by hand: `set` and `get` for one element, `bump`, which adds one to all active
 * elements and gives their number, `grow`, which adds one to all active elements and nothing else, `append` for a field that lies directly in a list; `drop` for the innermost sparse cell
 * around an element, `clear` for all of the outermost sparse node (of dense ones, where none is sparse), `empty` for the innermost list.
 */
export const randomKernels = (tree: Layout): Module => {
  const fields = [...tree.fields.values()];
  const results = (['get', 'bump'] as const).flatMap((what) =>
    fields.map(({ field: { name, type } }) =>
      declareBuffer(`${what}_${name}_result`, what === 'get' ? type : 'i32', 1, 'output'),
    ),
  );
  const sums = fields.map(({ field: { name } }) => declareBuffer(`bump_${name}_sum`, 'i32', 1, 'temp'));
  const buffers = [...results, ...sums];
  const make = (
    name: string,
    params: Readonly<Record<string, ScalarType>>,
    body: (b: Builder, p: Readonly<Record<string, Value>>) => void,
  ): Kernel => buildKernel(name, params, body, buffers, { dialects: [...coreDialects, fieldDialect(tree)] });
  const kernels = fields.flatMap((f) => kernelsOf(tree, f, make));
  return makeModule('random', buffers, kernels);
};

type Make = (
  name: string,
  params: Readonly<Record<string, ScalarType>>,
  body: (b: Builder, p: Readonly<Record<string, Value>>) => void,
) => Kernel;

const kernelsOf = (tree: Layout, { field: { name, type }, axes, path }: PlacedField, make: Make): readonly Kernel[] => {
  const of = (list: readonly number[]): Readonly<Record<string, ScalarType>> =>
    Object.fromEntries(list.map((a) => [`x${a}`, 'i32']));
  const at = (p: Readonly<Record<string, Value>>, list = axes): Value[] => list.map((a) => p[`x${a}`]);
  const parent = tree.nodes[tree.nodes[path.at(-1)!].parent];
  const above = axes.filter((a) => !parent.axes.includes(a));
  const nodes = path.map((n) => tree.nodes[n]);
  const sparse = nodes.filter(isSparse);
  const [outermost, innermost] = [sparse.at(0) ?? nodes[0], sparse.at(-1) ?? parent];
  const list = nodes.findLast((n) => n.kind === 'dynamic');
  const around = list ? axesAbove(tree, list.id) : [];
  const leaf = path.at(-1)!;
  const cellOf = (b: Builder, p: Readonly<Record<string, Value>>): Value[] =>
    axesOf(tree, innermost.id).map((a) => floorDiv(b, p[`x${a}`], elementsBelow(tree, innermost.id, leaf, a)));
  const bump = make(`bump_${name}`, {}, (b) => {
    const sum = `bump_${name}_sum`;
    b.store(sum, b.i32(0), b.i32(0));
    const { region } = b.region(
      axes.map(() => ({ type: 'i32' })),
      (element) => {
        const one = b.constant(1, type);
        b.op('field.store', [b.add(b.value('field.load', element, { field: name }), one), ...element], { field: name });
        b.atomic(sum, 'add', b.i32(1), b.i32(0));
      },
    );
    b.op('field.for', [], { node: parent.name }, [region]);
    b.store(`bump_${name}_result`, b.load(sum, b.i32(0)), b.i32(0));
  });
  const grow = make(`grow_${name}`, {}, (b) => {
    const { region } = b.region(
      axes.map(() => ({ type: 'i32' })),
      (element) => {
        const one = b.constant(1, type);
        b.op('field.store', [b.add(b.value('field.load', element, { field: name }), one), ...element], { field: name });
      },
    );
    b.op('field.for', [], { node: parent.name }, [region]);
  });
  return [
    grow,
    make(`set_${name}`, { ...of(axes), value: type }, (b, p) => {
      b.op('field.store', [p['value'], ...at(p)], { field: name });
    }),
    make(`get_${name}`, of(axes), (b, p) => {
      b.store(`get_${name}_result`, b.value('field.load', at(p), { field: name }), b.i32(0));
    }),
    bump,
    ...(innermost.kind !== 'dynamic'
      ? [
          make(
            `drop_${name}`,
            of(axes),
            (b, p) => void b.op('field.deactivate', cellOf(b, p), { node: innermost.name }),
          ),
        ]
      : []),
    make(`clear_${name}`, {}, (b) => void b.op('field.clear_all', [], { node: outermost.name })),
    ...(list
      ? [make(`empty_${name}`, of(around), (b, p) => void b.op('field.clear', at(p, around), { node: list.name }))]
      : []),
    ...(parent.kind === 'dynamic'
      ? [make(`append_${name}`, of(above), (b, p) => void b.op('field.append', at(p, above), { node: parent.name }))]
      : []),
  ];
};

const floorDiv = (b: Builder, x: Value, by: number): Value => {
  const rest = b.rem(x, b.i32(by));
  return b.sub(b.div(x, b.i32(by)), b.cast(b.cmp('lt', rest, b.i32(0)), 'i32'));
};

/** How the kernels of a lowered module are launched: by their names; all their parameters are scalars. */
export const launchesOf = (module: Module): Readonly<Record<string, readonly Launchable[]>> =>
  Object.fromEntries(
    module.kernels.map((kernel) => {
      const result = module.buffers.find((b) => b.name === `${kernel.name}_result`);
      const launch = kernel.params.map((p) => ({ is: 'scalar', name: p.hint!, type: p.type as ScalarType }) as const);
      return [
        kernel.name,
        [
          {
            kernel,
            writes: buffersWritten(kernel),
            signature: { launch, result: result && { type: result.type, buffer: result.name }, seed: false },
          },
        ],
      ];
    }),
  );
