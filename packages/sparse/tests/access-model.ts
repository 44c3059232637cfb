import {
  allocateArray,
  arrayConstructor,
  buildKernel,
  coreDialects,
  declareBuffer,
  makeModule,
  type Attrs,
  type Buffer,
  type Builder,
  type Module,
  type ScalarType,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import {
  RESERVED_CELLS,
  arenaName,
  axesOf,
  dense,
  dynamic,
  elementsBelow,
  field,
  fieldDialect,
  hash,
  isSparse,
  layout,
  nodeText,
  pathTo,
  snodeDialect,
  type Axes,
  type Branch,
  type Layout,
  type SNode,
  type Storage,
} from '@filigree/sparse/fields';
import fc from 'fast-check';

/* ---------------------------------------------------------------- programs */

/** An index: a parameter, a loop's counter, or nothing, plus a number; of that ⌊x ÷ over⌋. One that is wild is not seen to be such a sum. */
export interface Index {
  readonly of?: string | undefined;
  readonly plus: number;
  readonly over?: number;
  readonly wild?: boolean;
}

export type Statement =
  | { readonly is: 'load'; readonly field: string; readonly at: readonly Index[] }
  | {
      readonly is: 'store';
      readonly field: string;
      readonly at: readonly Index[];
      readonly value: number;
      readonly activate: boolean;
    }
  | {
      readonly is: 'atomic';
      readonly field: string;
      readonly at: readonly Index[];
      readonly value: number;
      readonly activate: boolean;
      readonly kind: string;
    }
  | {
      readonly is: 'is_active' | 'activate' | 'append' | 'length' | 'deactivate' | 'clear';
      readonly node: number;
      readonly at: readonly Index[];
    }
  | { readonly is: 'for'; readonly name: string; readonly from: number; readonly to: Index; readonly body: Program }
  | {
      readonly is: 'block';
      readonly name: string;
      readonly unit: number;
      readonly count: number;
      readonly body: Program;
    }
  | { readonly is: 'scatter'; readonly body: Program }
  | { readonly is: 'where'; readonly node: number; readonly at: readonly Index[]; readonly body: Program }
  | {
      readonly is: 'if';
      readonly a: Index;
      readonly below: number;
      readonly then: Program;
      readonly otherwise: Program;
    };

export type Program = readonly Statement[];

export const PARAMS = ['p', 'q', 'r'] as const;
const LOG = 'log';
const LOG_LENGTH = 4096;

/** What was logged, as far as there was room. */
export const logOf = (arrays: Readonly<Record<string, TypedArray>>): readonly number[] =>
  [...arrays[LOG].subarray(0, Math.min(Number(arrays.logged[0]), LOG_LENGTH))].map(Number);

/** The log, and where its next entry goes. */
export const logBuffers: readonly Buffer[] = [
  /* What finds no room goes behind the last entry. */
  declareBuffer(LOG, 'f64', LOG_LENGTH + 1, 'inout'),
  declareBuffer('logged', 'i32', 1, 'inout'),
];

/** A module with a kernel `main` that runs the program; what it reads goes to the log, in order. */
export const moduleOf = (shape: Layout, program: Program): Module => {
  const kernel = buildKernel(
    'main',
    Object.fromEntries(PARAMS.map((p) => [p, 'i32'])) as Record<string, ScalarType>,
    (b, params) => new Writer(b, shape).run(program, new Map(Object.entries(params))),
    logBuffers,
    { dialects: [...coreDialects, fieldDialect(shape), snodeDialect(shape)] },
  );
  return makeModule('m', logBuffers, [kernel]);
};

class Writer {
  constructor(
    private readonly b: Builder,
    private readonly shape: Layout,
  ) {}

  run(program: Program, names: ReadonlyMap<string, Value>): void {
    for (const s of program) this.statement(s, names);
  }

  private statement(s: Statement, names: ReadonlyMap<string, Value>): void {
    const { b } = this;
    const indices = (list: readonly Index[]): Value[] => list.map((i) => this.index(i, names));
    if (s.is === 'load') return this.log(b.value('field.load', indices(s.at), { field: s.field }));
    if (s.is === 'store')
      return void b.op('field.store', [this.constant(s.field, s.value), ...indices(s.at)], attrsOf(s));
    if (s.is === 'atomic') {
      const attrs: Attrs = { ...attrsOf(s), kind: s.kind };
      return this.log(b.value('field.atomic', [this.constant(s.field, s.value), ...indices(s.at)], attrs));
    }
    if (s.is === 'activate' || s.is === 'deactivate' || s.is === 'clear')
      return void b.op(`field.${s.is}`, indices(s.at), { node: this.shape.nodes[s.node].name });
    if (s.is === 'for')
      return void b.for(b.i32(s.from), this.index(s.to, names), b.i32(1), {}, [], (iv) =>
        this.run(s.body, new Map([...names, [s.name, iv]])),
      );
    if (s.is === 'block')
      return void b.for(b.i32(0), b.i32(s.count), b.i32(1), {}, [], (block) => {
        const base = b.mul(block, b.i32(s.unit));
        b.for(b.i32(0), b.i32(s.unit), b.i32(1), {}, [], (digit) => {
          const iv = b.value('snode.index', [base, digit], { unit: s.unit, lo: 0, hi: s.unit * s.count });
          this.run(s.body, new Map([...names, [s.name, iv]]));
        });
      });
    if (s.is === 'scatter') return this.run(s.body, names);
    if (s.is === 'where') {
      const at = indices(s.at);
      return void b.if(b.value('field.is_active', at, { node: this.shape.nodes[s.node].name }), () => {
        b.op('snode.assume_active', at, { node: this.shape.nodes[s.node].name });
        this.run(s.body, names);
      });
    }
    if (s.is === 'if')
      return void b.if(
        b.cmp('lt', this.index(s.a, names), b.i32(s.below)),
        () => this.run(s.then, names),
        () => this.run(s.otherwise, names),
      );
    return this.log(b.value(`field.${s.is}`, indices(s.at), { node: this.shape.nodes[s.node].name }));
  }

  private index({ over = 1, ...i }: Index, names: ReadonlyMap<string, Value>): Value {
    const sum = this.whole(i, names);
    const mask = names.get(PARAMS[0])!;
    const whole = i.wild ? this.b.xor(this.b.xor(sum, mask), mask) : sum;
    return over === 1 ? whole : this.b.value('snode.extract', [whole], { below: over, extent: 0, signed: true });
  }

  private whole({ of, plus }: Index, names: ReadonlyMap<string, Value>): Value {
    const base = of === undefined ? undefined : names.get(of);
    if (!base) return this.b.i32(plus);
    return plus === 0 ? base : this.b.add(base, this.b.i32(plus));
  }

  private constant(name: string, value: number): Value {
    const { type } = this.shape.fields.get(name)!.field;
    return this.b.constant(
      type === 'i1' ? value % 2 === 1 : type === 'i64' || type === 'u64' ? BigInt(value) : value,
      type,
    );
  }

  private log(value: Value): void {
    const { b } = this;
    const at = b.atomic('logged', 'add', b.i32(1), b.i32(0));
    b.store(LOG, b.cast(value, 'f64'), b.min(at, b.i32(LOG_LENGTH)));
  }
}

const attrsOf = (s: { readonly field: string; readonly activate: boolean }): Attrs => ({
  field: s.field,
  ...(s.activate ? {} : { activate: false }),
});

/* ------------------------------------------------------------------ arenas */

/** An arena as a program finds it: zeros, nothing used, ambient values in what is always there. */
export const freshArena = (storage: Storage, arrays: Readonly<Record<string, TypedArray>>): void => {
  const words = arrays[arenaName(storage.memory, 'i32')] as Int32Array;
  for (const { pool } of storage.nodes) if (pool) words[pool.used / 4] = RESERVED_CELLS;
  const paint = (node: number, cell: number): void => {
    for (const c of storage.layout.nodes[node].children) {
      const child = storage.nodes[c];
      const { field: f } = child.node;
      if (f) {
        const array = arrays[arenaName(storage.memory, f.type)];
        const at = (cell + child.offset) / array.BYTES_PER_ELEMENT;
        array[at] = f.type === 'i64' || f.type === 'u64' ? BigInt(f.ambient) : f.ambient;
      } else if (!child.pool)
        for (let n = 0; n < child.storedCells; n++)
          paint(c, cell + child.offset + child.firstCell + n * child.cellBytes);
    }
  };
  paint(0, storage.root);
  storage.nodes.forEach(({ pool }, id) => pool && paint(id, pool.cells));
};

/** Arrays for a module's buffers, those of the arena over one memory. */
export const allocate = (module: Module, storage: Storage): Record<string, TypedArray> => {
  const memory = new ArrayBuffer(storage.bytes);
  return Object.fromEntries(
    module.buffers
      .filter((b) => b.role !== 'scratch')
      .map((b) => [
        b.name,
        b.memory === storage.memory
          ? new (arrayConstructor(b.type))(memory, 0, b.length)
          : allocateArray(b.type, b.length),
      ]),
  );
};

/* ------------------------------------------------------------- arbitraries */

interface Level {
  readonly kind: 'dense' | 'pointer' | 'bitmasked' | 'morton' | 'dynamic' | 'dynamic-pointer' | 'hash';
  readonly axes: 'i' | 'j' | 'ij' | 'ji';
  readonly extents: readonly [number, number];
}

const level: fc.Arbitrary<Level> = fc.record({
  kind: fc.constantFrom('dense', 'pointer', 'pointer', 'bitmasked', 'morton', 'dynamic', 'dynamic-pointer', 'hash'),
  axes: fc.constantFrom('i', 'j', 'ij', 'ij', 'ji'),
  extents: fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 5 })),
});

const types: readonly ScalarType[] = ['f32', 'f64', 'i32', 'i16', 'u8', 'i64', 'i1'];

interface Twig {
  readonly levels: readonly Level[];
  readonly fields: readonly { readonly type: ScalarType; readonly ambient: number }[];
}

const twig = (least: number): fc.Arbitrary<Twig> =>
  fc.record({
    levels: fc.array(level, { minLength: least, maxLength: 3 }),
    fields: fc.array(fc.record({ type: fc.constantFrom(...types), ambient: fc.constantFrom(0, 0, 1, 5) }), {
      minLength: 1,
      maxLength: 2,
    }),
  });

/** Layouts of up to four levels with every kind of node, forks, and fields of mixed types. */
export const layouts = (options: { readonly cells?: number } = {}): fc.Arbitrary<Layout> =>
  fc.tuple(twig(1), fc.option(twig(1)), fc.option(twig(1))).map(([trunk, inner, beside]) => {
    let count = 0;
    const grow = ({ levels, fields }: Twig, above: readonly Level[], lists: number, then?: Twig): Branch => {
      let branch: Branch | undefined;
      let used = lists;
      const all = levels.slice(0, Math.max(1, 4 - above.length));
      all.forEach((l, depth) => {
        const made = add(branch, l, above.length + depth, used, options.cells);
        branch = made.branch;
        used = made.lists;
      });
      const placed = branch!.place(
        ...fields.map(({ type, ambient }) =>
          field(`u${count++}`, type, { ambient: type === 'i1' ? ambient % 2 : ambient }),
        ),
      );
      return then ? placed.fork(grow(then, [...above, ...all], used)) : placed;
    };
    const first = grow(trunk, [], 0, inner ?? undefined);
    return beside ? layout(first, grow(beside, [], 0)) : layout(first);
  });

/** A level below a branch; one that cannot stand there becomes dense. */
const add = (
  branch: Branch | undefined,
  { kind, axes, extents }: Level,
  depth: number,
  lists: number,
  cells: number | undefined,
): { readonly branch: Branch; readonly lists: number } => {
  const names: Record<Level['axes'], Axes> = { i: [0], j: [1], ij: [0, 1], ji: [1, 0] };
  const split = names[axes];
  const sizes = split.map((_, n) => extents[n]);
  const options = cells === undefined ? {} : { cells };
  if ((kind === 'dynamic' || kind === 'dynamic-pointer') && lists < 2) {
    const axis: Axes = lists === 0 ? [2] : [3];
    const most = extents[0] + 2;
    const list = branch ? branch.dynamic(axis, most) : dynamic(axis, most);
    return { branch: kind === 'dynamic' ? list : list.pointer(options), lists: lists + 1 };
  }
  /* More than the largest loops of a program activate. */
  if (kind === 'hash' && depth === 0) return { branch: hash(split, sizes, { cells: cells ?? 256 }), lists };
  const size = kind === 'morton' ? 2 ** (extents[0] % 3) : 0;
  const array = kind === 'morton' ? split.map(() => size) : sizes;
  const plain = branch ? branch.dense(split, array) : dense(split, array);
  if (kind === 'pointer') return { branch: plain.pointer(options), lists };
  if (kind === 'bitmasked') return { branch: plain.bitmasked(), lists };
  if (kind === 'morton') return { branch: plain.morton(), lists };
  return { branch: plain, lists };
};

/** Where a program is busy: an index for each axis. */
type Point = readonly Index[];

/**
 * Programs over a layout: accesses to a few elements again and again, and near them, in loops and branches; in the end a look
 * at all that is there.
 */
const programs = (shape: Layout): fc.Arbitrary<Program> =>
  points(PARAMS).chain((busy) =>
    fc
      .array(statement(shape, 2, PARAMS, busy), { minLength: 2, maxLength: 8 })
      .map((program) => [...program, ...busy.flatMap((at) => inspection(shape, at))]),
  );

/** Reads all there is at a point. */
const inspection = (shape: Layout, place: Point): Program => [
  ...[...shape.fields.values()].map((f): Statement => ({
    is: 'load',
    field: f.field.name,
    at: f.axes.map((a) => place[a]),
  })),
  ...shape.nodes
    .filter(isSparse)
    .map((n): Statement => ({ is: 'is_active', node: n.id, at: cellAt(shape, n.id, place) })),
  ...shape.nodes
    .filter((n) => n.kind === 'dynamic')
    .map((n): Statement => ({ is: 'length', node: n.id, at: cellAt(shape, n.parent, place) })),
];

const points = (scope: readonly string[]): fc.Arbitrary<readonly Point[]> =>
  fc.array(point(scope), { minLength: 1, maxLength: 3 });

const block = (shape: Layout, depth: number, scope: readonly string[]): fc.Arbitrary<Program> =>
  points(scope).chain((busy) =>
    fc.array(statement(shape, depth, scope, busy), { minLength: 1, maxLength: depth === 0 ? 4 : 6 }),
  );

const point = (scope: readonly string[]): fc.Arbitrary<Point> =>
  fc.array(
    fc.record({
      of: fc.constantFrom(...scope, undefined),
      plus: fc.constantFrom(0, 0, 0, 0, 0, 1, -1, 3),
      wild: fc.constantFrom(false, false, true),
    }),
    { minLength: 4, maxLength: 4 },
  );

/** One of the points, or a neighbour. */
const near = (points: readonly Point[]): fc.Arbitrary<Point> =>
  fc
    .tuple(fc.constantFrom(...points), fc.constantFrom(0, 0, 0, 0, 1, -1, 2), fc.integer({ min: 0, max: 3 }))
    .map(([at, by, axis]) => at.map((i, a) => (a === axis ? { ...i, plus: i.plus + by } : i)));

const statement = (
  shape: Layout,
  depth: number,
  scope: readonly string[],
  points: readonly Point[],
): fc.Arbitrary<Statement> => {
  const name = `x${depth}`;
  const inner = block(shape, depth - 1, [...scope, name]);
  const same = block(shape, depth - 1, scope);
  const sparse = shape.nodes.filter(isSparse).map((n) => n.id);
  const nested: readonly fc.WeightedArbitrary<Statement>[] =
    depth === 0
      ? []
      : [
          {
            arbitrary: fc.record({
              is: fc.constant('for' as const),
              name: fc.constant(name),
              from: fc.integer({ min: -1, max: 1 }),
              to: fc.record({ of: fc.constantFrom(undefined, undefined, 'p'), plus: fc.integer({ min: 0, max: 4 }) }),
              body: inner,
            }),
            weight: 1,
          },
          {
            arbitrary: fc.record({
              is: fc.constant('block' as const),
              name: fc.constant(name),
              unit: fc.constantFrom(2, 3, 4, 6, 8),
              count: fc.integer({ min: 1, max: 2 }),
              body: inner,
            }),
            weight: 1,
          },
          ...(sparse.length === 0
            ? []
            : [
                {
                  arbitrary: fc
                    .tuple(fc.constantFrom(...sparse), near(points), same)
                    .map(([node, at, body]): Statement => ({ is: 'where', node, at: cellAt(shape, node, at), body })),
                  weight: 1,
                },
              ]),
          {
            arbitrary: fc
              .tuple(near(points), fc.integer({ min: -1, max: 6 }), same, same)
              .map(([[a], below, then, otherwise]): Statement => ({ is: 'if', a, below, then, otherwise })),
            weight: 1,
          },
        ];
  return fc.oneof({ arbitrary: access(shape, points), weight: 8 }, ...nested);
};

const access = (shape: Layout, points: readonly Point[]): fc.Arbitrary<Statement> => {
  const onField = fc
    .tuple(fc.constantFrom(...shape.fields.keys()), near(points), fc.integer({ min: 0, max: 40 }), fc.nat(11))
    .map(([name, place, value, choice]): Statement => {
      const { axes, field: f } = shape.fields.get(name)!;
      const kinds = kindsOf(f.type);
      const at = axes.map((a) => place[a]);
      if (choice < 5) return { is: 'load', field: name, at };
      /* Not by the value, which says which kind it is. */
      const activate = choice !== 7 && choice !== 9;
      if (choice < 8) return { is: 'store', field: name, at, value, activate };
      const kind = kinds[value % kinds.length];
      if (choice < 10) return { is: 'atomic', field: name, at, value, activate, kind };
      /* Neighbours, as a particle writes to a grid. */
      const body = Array.from({ length: 3 + (value % 4) }, (_, k): Statement => {
        const moved = at.map((i, axis) => ({ ...i, plus: i.plus + ((k >> axis) & 3) }));
        return { is: 'atomic', field: name, at: moved, value: k + 1, activate: true, kind: kinds[0] };
      });
      return { is: 'scatter', body };
    });
  const onNode = (
    is: 'is_active' | 'activate' | 'append' | 'length' | 'deactivate' | 'clear',
  ): readonly fc.WeightedArbitrary<Statement>[] => {
    const list = is === 'append' || is === 'length' || is === 'clear';
    const suits = (n: SNode): boolean => isSparse(n) && !(is === 'deactivate' && n.kind === 'dynamic');
    const nodes = shape.nodes.filter((n) => (list ? n.kind === 'dynamic' : suits(n))).map((n) => n.id);
    if (nodes.length === 0) return [];
    const arbitrary = fc.tuple(fc.constantFrom(...nodes), near(points)).map(([node, place]): Statement => {
      const cell = cellAt(shape, list ? shape.nodes[node].parent : node, place);
      return { is, node, at: cell };
    });
    return [{ arbitrary, weight: 1 }];
  };
  return fc.oneof(
    { arbitrary: onField, weight: 6 },
    ...onNode('is_active'),
    ...onNode('activate'),
    ...onNode('append'),
    ...onNode('length'),
    ...onNode('deactivate'),
    ...onNode('clear'),
  );
};

/** The cell of a node around an element of the first field below it. */
const cellAt = (shape: Layout, node: number, place: Point): readonly Index[] => {
  const leaf = shape.nodes.find((n) => n.field && pathTo(shape.nodes, n.id).includes(node))?.id ?? node;
  return axesOf(shape, node).map((axis) => {
    const over = elementsBelow(shape, node, leaf, axis);
    return over === 1 ? place[axis] : { ...place[axis], over };
  });
};

const kindsOf = (type: ScalarType): readonly string[] =>
  type === 'i1'
    ? ['or', 'xor', 'exchange']
    : type.startsWith('f')
      ? ['add', 'min', 'max', 'exchange']
      : ['add', 'min', 'max', 'and', 'or', 'xor', 'exchange'];

export interface Case {
  readonly shape: Layout;
  readonly program: Program;
  readonly args: readonly number[];
}

/** A layout, a program over it, and arguments. */
export const cases = (options: { readonly cells?: number } = {}): fc.Arbitrary<Case> =>
  layouts(options).chain((shape) =>
    fc
      .record({
        shape: fc.constant(shape),
        program: programs(shape),
        /* Different names of one index are what simplification has to be careful with. */
        args: fc.oneof(
          fc.constantFrom(0, 1, 2, 5, -1).map((x) => PARAMS.map(() => x)),
          fc.array(fc.constantFrom(0, 1, 1, 2, 3, 5, 9, -1, -4), {
            minLength: PARAMS.length,
            maxLength: PARAMS.length,
          }),
        ),
      })
      .map(legible),
  );

/** With a text that people can read, for when it fails. */
const legible = (c: Case): Case =>
  Object.assign(
    { ...c },
    {
      [fc.toStringMethod]: () =>
        `${outline(c.shape)}\n${programText(c.program, '  ')}\n  ${PARAMS.join(', ')} = ${c.args.join(', ')}`,
    },
  );

const outline = ({ nodes }: Layout): string =>
  nodes
    .map(
      (n) =>
        `${'  '.repeat(pathTo(nodes, n.id).length + 1)}${n.id} ${nodeText(n)}${n.field ? ` ${n.field.type} ambient ${n.field.ambient}` : ''}${n.cells ? ` ${n.cells} cells` : ''}`,
    )
    .join('\n');

const programText = (program: Program, indent: string): string =>
  program
    .map((s) => {
      const index = ({ of, plus, over, wild }: Index): string =>
        `${of ?? 0}${plus < 0 ? '' : '+'}${plus}${over ? `/${over}` : ''}${wild ? ' (wild)' : ''}`;
      if (s.is === 'for')
        return `${indent}for ${s.name} in ${s.from}..${index(s.to)}\n${programText(s.body, `${indent}  `)}`;
      if (s.is === 'block')
        return `${indent}for ${s.name} in ${s.count} blocks of ${s.unit}\n${programText(s.body, `${indent}  `)}`;
      if (s.is === 'scatter') return programText(s.body, indent);
      if (s.is === 'where')
        return `${indent}where ${s.node}[${s.at.map(index).join(', ')}] is active\n${programText(s.body, `${indent}  `)}`;
      if (s.is === 'if')
        return `${indent}if ${index(s.a)} < ${s.below}\n${programText(s.then, `${indent}  `)}\n${indent}else\n${programText(s.otherwise, `${indent}  `)}`;
      const where = `[${s.at.map(index).join(', ')}]`;
      if (s.is === 'load') return `${indent}load ${s.field}${where}`;
      const only = (s.is === 'store' || s.is === 'atomic') && !s.activate ? ' where active' : '';
      if (s.is === 'store') return `${indent}${s.field}${where} = ${s.value}${only}`;
      if (s.is === 'atomic') return `${indent}${s.field}${where} ${s.kind}= ${s.value}${only}`;
      return `${indent}${s.is} ${s.node}${where}`;
    })
    .join('\n');
