import fc from 'fast-check';
import {
  type Attrs,
  type Buffer,
  type Builder,
  type LayoutNode,
  type LayoutTree,
  type Module,
  type ScalarType,
  type Value,
  buildKernel,
  constBuffer,
  declareBuffer,
  isFloat,
  isWide,
  lanesOf,
  makeModule,
  scalarOf,
  scalarTypes,
} from '@filigree/ir';

/** A well-formed module made from a list of random numbers: each step picks an op and operands among what is there. */
export const randomModule = (): fc.Arbitrary<Module> =>
  fc
    .record({
      name: fc.constantFrom('m', 'buffer', 'kernel', 'vec', '_x1'),
      steps: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.double()), { maxLength: 60 }),
      attrs: attributes(),
      kernelAttrs: attributes(),
      layout: fc.option(layouts(), { nil: undefined }),
      data: fc.array(fc.double(), { maxLength: 70 }),
      hints: fc.array(fc.constantFrom(undefined, 'a', 'a', 'a_1', 'i', '0bad', 'x y', ''), {
        minLength: 1,
        maxLength: 20,
      }),
    })
    .map(({ name, steps, attrs, kernelAttrs, layout, data, hints }) => {
      const buffers: Buffer[] = [
        ...scalarTypes.map((type) => declareBuffer(`b_${type}`, type, 8, 'inout')),
        { ...declareBuffer('m_u8', 'u8', 8, 'temp'), memory: 'shared' },
        { ...declareBuffer('m_f32', 'f32', 3, 'temp'), memory: 'shared' },
        declareBuffer('s_i16', 'i16', 8, 'scratch'),
        constBuffer('c_f64', 'f64', Float64Array.from(data)),
        constBuffer('c_f32', 'f32', Float32Array.from(data)),
        constBuffer('c_u16', 'u16', Uint16Array.from(data.map((_, i) => i * 977))),
        constBuffer('c_i64', 'i64', BigInt64Array.from(data.map((_, i) => BigInt(i) * 0x0123456789abcdfn - 77n))),
      ];
      const params = { n: 'i32', x: 'f64', flag: 'i1', big: 'u64' } as const;
      const kernel = buildKernel(
        'k',
        params,
        (b, p) => new Generator(b, steps).block(Object.values(p), steps.length, 0),
        buffers,
        {
          attrs: kernelAttrs,
        },
      );
      const module = makeModule(name, buffers, [kernel, { ...kernel, name: 'k2' }], attrs);
      return withHints({ ...module, ...(layout && { layout }) }, hints);
    });

/** A tree of nodes with a field in every innermost one, each of another name. */
const layouts = (): fc.Arbitrary<LayoutTree> => {
  const shape = fc.letrec<{ node: LayoutNode; children: LayoutNode[] }>((tie) => ({
    children: fc.oneof({ maxDepth: 3 }, fc.constant<LayoutNode[]>([]), fc.array(tie('node'), { maxLength: 2 })),
    node: fc.record({
      kind: fc.constantFrom('dense', 'hash', 'dynamic', 'field', 'layout'),
      axes: fc.subarray([0, 1, 2, 7], { minLength: 1 }),
      extents: fc.constant([]),
      attrs: attributes(),
      fields: fc.array(
        fc.record({
          name: fc.constant('f'),
          type: fc.constantFrom(...scalarTypes),
          ambient: fc.oneof(fc.integer(), fc.double(), fc.constantFrom(-0, NaN, Infinity)),
        }),
        { maxLength: 2 },
      ),
      children: tie('children'),
    }),
  }));
  let count = 0;
  const finished = (node: LayoutNode): LayoutNode => ({
    ...node,
    kind: node.kind === 'field' ? 'dense' : node.kind,
    extents: node.axes.map((a) => 2 ** a + 1),
    attrs: Object.fromEntries(Object.entries(node.attrs).filter(([name]) => /^[A-Za-z_]\w*$/.test(name))),
    fields: node.fields.map((f) => ({ ...f, name: `f${count++}` })),
    children: node.children.map(finished),
  });
  return fc.array(shape.node, { minLength: 1, maxLength: 2 }).map((branches) => ({ branches: branches.map(finished) }));
};

/** Attributes with every kind of value that text and JSON find hard. */
const attributes = (): fc.Arbitrary<Attrs> => {
  const leaf = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.string(),
    fc.constantFrom<number | string>(
      NaN,
      Infinity,
      -Infinity,
      -0,
      'nan',
      'inf',
      'true',
      'word',
      '@c_f64',
      'a"b\\',
      'line\nbreak',
      'semi;colon',
    ),
  );
  const value = fc.oneof(
    leaf,
    fc.array(leaf, { maxLength: 3 }),
    fc.array(fc.array(leaf, { maxLength: 2 }), { maxLength: 2 }),
  );
  const key = fc.oneof(fc.constantFrom('buffer', 'kernel', 'factor', 'a.b', 'with space'), fc.string({ minLength: 1 }));
  return fc.dictionary(key, value, { maxKeys: 3, noNullPrototype: true });
};

type Step = readonly [number, number, number, number];

class Generator {
  private at = 0;
  constructor(
    private readonly b: Builder,
    private readonly steps: readonly Step[],
  ) {}

  /** Adds up to `count` ops that use the values visible, and returns all values visible at the end. */
  block(visible: readonly Value[], count: number, depth: number): void {
    const values = [...visible];
    for (let n = 0; n < count && this.at < this.steps.length; n++) this.step(values, depth);
  }

  private step(values: Value[], depth: number): void {
    const { b } = this;
    const [kind, i, j, x] = this.steps[this.at++];
    const a = values[i % values.length];
    const c =
      values.find(
        (v, k) =>
          k >= j % values.length &&
          v !== a &&
          scalarOf(v.type) === scalarOf(a.type) &&
          lanesOf(v.type) === lanesOf(a.type),
      ) ?? a;
    const type = scalarOf(a.type);
    const numeric = type !== 'i1';
    const scalar = lanesOf(a.type) === 1;
    switch (kind % 14) {
      case 0:
        return void values.push(b.constant(constantOf(scalarTypes[i % 11], i, x), scalarTypes[i % 11]));
      case 1:
        return void values.push(
          b.constant(constantOf(scalarTypes[i % 11], i, x), { lanes: 2 + (j % 7), of: scalarTypes[i % 11] }),
        );
      case 2:
        return void values.push(numeric ? b.add(a, c) : b.xor(a, c));
      case 3:
        return void values.push(b.cmp(numeric ? 'lt' : 'ne', a, c));
      case 4:
        return void values.push(isFloat(type) ? b.math('sin', a) : b.not(a));
      case 5:
        return void values.push(b.cast(a, scalarTypes[j % 11]));
      case 6:
        return void values.push(scalar ? b.splat(a, 4) : b.extract(a, 1));
      case 7:
        return void values.push(b.load(`b_${scalarTypes[i % 11]}`, b.i32(j % 4), j % 2 === 0 ? 1 : 4));
      case 8:
        return b.store(`b_${type}`, scalar ? a : b.extract(a, 0), b.i64(j % 8));
      case 9:
        return void (scalar && values.push(b.atomic(`b_${type}`, 'exchange', a, b.i32(j % 8))));
      case 10:
        if (depth > 2) return;
        return void values.push(
          ...b.for(b.i32(0), b.i32(j % 4), b.i32(1), {}, [a], (iv, carried) => {
            this.block([...values, iv, ...carried], i % 8, depth + 1);
            return carried;
          }),
        );
      case 11: {
        if (depth > 2) return;
        const flag = values.find((v) => v.type === 'i1') as Value;
        const branch = (v: Value) => (): readonly Value[] => {
          this.block(values, j % 5, depth + 1);
          return [v, a];
        };
        return void values.push(...b.if(flag, branch(a), branch(c)));
      }
      case 12: {
        if (depth > 2) return;
        const results = b.while(
          [a, b.i32(0)],
          ([v, count]) => [b.cmp('lt', count, b.i32(j % 3)), v, count],
          ([v, count]) => [v, b.add(count, b.i32(1))],
        );
        return void values.push(...results);
      }
      default:
        return void values.push(b.select(b.cmp('eq', a, c), c, a));
    }
  }
}

const constantOf = (type: ScalarType, i: number, x: number): number | bigint | boolean =>
  type === 'i1'
    ? i % 2 === 0
    : isFloat(type)
      ? x
      : isWide(type)
        ? type === 'u64'
          ? 0xffffffffffffff00n + BigInt(i % 256)
          : -BigInt(i)
        : i % 100;

const withHints = (module: Module, hints: readonly (string | undefined)[]): Module => {
  const rename = (v: Value): Value => {
    const hint = hints[v.id % hints.length];
    return hint === undefined ? { id: v.id, type: v.type } : { id: v.id, type: v.type, hint };
  };
  return mapValues(module, rename);
};

/** The module with every value, definition or use, replaced. */
export const mapValues = (module: Module, f: (v: Value) => Value): Module => {
  type R = Module['kernels'][number]['body'];
  const region = (r: R): R => ({
    params: r.params.map(f),
    ops: r.ops.map((op) => ({
      ...op,
      operands: op.operands.map(f),
      results: op.results.map(f),
      regions: op.regions.map(region),
    })),
  });
  return { ...module, kernels: module.kernels.map((k) => ({ ...k, params: k.params.map(f), body: region(k.body) })) };
};
