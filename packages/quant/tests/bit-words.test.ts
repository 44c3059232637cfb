import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verify,
  walk,
  type AtomicKind,
  type Builder,
  type Diagnostics,
  type Module,
  type Value,
} from '@filigree/ir';
import { int, quantPasses, vectorizeBits } from '@filigree/quant';
import {
  arenaName,
  bitArray,
  dense,
  field,
  fieldDialect,
  fieldDialects,
  hash,
  i,
  ij,
  initializeArena,
  j,
  layout,
  layoutTree,
  storageOf,
  stored,
  type Branch,
  type Layout,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import type { Either } from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const u = field('u', 'i32', { ambient: 1 });
const v = field('v', 'i32');
const out = field('out', 'i32', { ambient: 1 });
const fields = { u, v, out };

/** An expression of what lies around an element. */
type Node =
  | { readonly is: 'load'; readonly field: 'u' | 'v'; readonly at: readonly [number, number]; readonly around: boolean }
  | { readonly is: 'number' | 'cut'; readonly n: number }
  | { readonly is: 'index'; readonly axis: 0 | 1 }
  | { readonly is: 'parameter' }
  | { readonly is: (typeof binary)[number] | (typeof tests)[number] | 'rem'; readonly x: Node; readonly y: Node }
  | { readonly is: 'not' | 'neg'; readonly x: Node }
  | { readonly is: 'shl' | 'shr'; readonly x: Node; readonly by: number | Node }
  | { readonly is: 'quotient' | 'rest'; readonly x: Node; readonly by: number }
  | { readonly is: 'select' | 'if'; readonly c: Node; readonly x: Node; readonly y: Node };

const binary = ['add', 'add', 'sub', 'and', 'or', 'xor', 'min', 'max', 'mul'] as const;
const tests = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;

const node = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.record({
      is: fc.constant('load' as const),
      field: fc.constantFrom('u' as const, 'v' as const),
      at: fc.tuple(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -19, max: 19 })),
      around: fc.boolean(),
    }),
    fc.record({ is: fc.constant('number' as const), n: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ is: fc.constant('cut' as const), n: fc.integer({ min: -9, max: 9 }) }),
    fc.record({ is: fc.constant('index' as const), axis: fc.constantFrom(0 as const, 1 as const) }),
    fc.constant<Node>({ is: 'parameter' }),
    fc.record({ is: fc.constantFrom(...binary, ...tests), x: tie('node'), y: tie('node') }),
    fc.record({ is: fc.constantFrom('not' as const, 'neg' as const), x: tie('node') }),
    fc.record({
      is: fc.constantFrom('shl' as const, 'shr' as const),
      x: tie('node'),
      by: fc.oneof(fc.nat(3), tie('node')),
    }),
    fc.record({
      is: fc.constantFrom('quotient' as const, 'rest' as const),
      x: tie('node'),
      by: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: -9, max: -1 })),
    }),
    fc.record({
      is: fc.constantFrom('select' as const, 'if' as const),
      c: tie('node'),
      x: tie('node'),
      y: tie('node'),
    }),
  ),
})).node;

/** @param extents of the fields, where they have an end: what is behind the last element is the first then, of loads that go around */
const emit = (
  b: Builder,
  at: readonly Value[],
  parameter: Value,
  extents: readonly number[] | undefined,
  n: Node,
): Value => {
  const of = (x: Node): Value => emit(b, at, parameter, extents, x);
  switch (n.is) {
    case 'load': {
      const around = (x: Value, a: number): Value => {
        if (!extents || !n.around) return b.add(x, b.i32(n.at[a]));
        const [extent, isPower] = [extents[a], (extents[a] & (extents[a] - 1)) === 0];
        return isPower && n.at[a] % 2 === 0
          ? b.and(b.add(x, b.i32(n.at[a])), b.i32(extent - 1))
          : b.rem(b.add(x, b.i32(3 * extent + n.at[a])), b.i32(extent));
      };
      return b.value('field.load', at.map(around), { field: n.field });
    }
    case 'number':
      return b.i32(n.n);
    case 'cut':
      return b.cast(b.constant(n.n * 1.25, 'f32'), 'i32');
    case 'index':
      return at[n.axis];
    case 'parameter':
      return parameter;
    case 'not':
      return b.not(of(n.x));
    case 'neg':
      return b.value('arith.neg', [of(n.x)]);
    case 'shl':
    case 'shr':
      return b[n.is](of(n.x), typeof n.by === 'number' ? b.i32(n.by) : of(n.by));
    /* Of numbers of a few bits, below zero as well. */
    case 'quotient':
      return b.div(few(b, of(n.x)), b.i32(n.by));
    case 'rest':
      return b.rem(few(b, of(n.x)), b.i32(n.by));
    case 'select':
      return b.select(b.cmp('gt', of(n.c), b.i32(0)), of(n.x), of(n.y));
    case 'if':
      return b.if(
        b.cmp('ne', of(n.c), b.i32(0)),
        () => [of(n.x)],
        () => [of(n.y)],
      )[0];
    case 'eq':
    case 'ne':
    case 'lt':
    case 'le':
    case 'gt':
    case 'ge':
      return b.cast(b.cmp(n.is, of(n.x), of(n.y)), 'i32');
    default:
      return b[n.is](of(n.x), of(n.y));
  }
};

const few = (b: Builder, x: Value): Value => b.sub(b.and(x, b.i32(1023)), b.i32(300));

/** What is stored, and where. */
interface Store {
  readonly value: Node;
  readonly where: Node | undefined;
  readonly kind: AtomicKind | 'store';
}

const store: fc.Arbitrary<Store> = fc.record({
  value: node,
  where: fc.option(node, { nil: undefined }),
  kind: fc.constantFrom('store', 'store', 'store', 'add', 'min', 'max', 'and', 'or', 'xor', 'exchange'),
});
const seeds = fc.array(fc.tuple(fc.constantFrom('u', 'v'), fc.nat(7), fc.nat(47), fc.integer({ min: -3, max: 3 })), {
  maxLength: 12,
});

/** Along each axis the first element of a range, how many there are, and what is added to what is counted. */
type Ranges = readonly (readonly [from: number, many: number, plus: number])[];

/** Goes through active elements, or through ranges, the one within the other. */
const eachElement = (b: Builder, ranges: Ranges | undefined, body: (at: readonly Value[]) => void): void => {
  if (!ranges) {
    const { region } = b.region([{ type: 'i32' }, { type: 'i32' }], (at) => {
      body(at);
      return [];
    });
    return void b.op('field.for', [], { node: 'up.u' }, [region]);
  }
  const nest = (k: number, at: readonly Value[]): void => {
    if (k === ranges.length) return body(at);
    const [from, many, plus] = ranges[k];
    const attrs = k === 0 ? { parallel: true } : { simd: true };
    b.for(b.i32(from - plus), b.i32(from - plus + many), b.i32(1), attrs, [], (counted) =>
      nest(k + 1, [...at, plus === 0 ? counted : b.add(counted, b.i32(plus))]),
    );
  };
  nest(0, []);
};

const moduleOf = (
  of: Layout,
  seeded: readonly (readonly [string, number, number, number])[],
  stores: readonly Store[],
  columns: number,
  ranges?: Ranges,
): Module => {
  const log = declareBuffer('log', 'f64', 8 * columns, 'output');
  const extents = of.nodes.some(({ kind }) => kind === 'hash') ? undefined : [8, columns];
  const kernel = buildKernel(
    'main',
    { parameter: 'i32' },
    (b, { parameter }) => {
      for (const [name, row, at, value] of seeded)
        b.op('field.store', [b.i32(value), b.i32(row), b.i32(at % columns)], { field: name });
      eachElement(b, ranges, (at) => {
        for (const { value, where, kind } of stores) {
          const put = (): void => {
            const operands = [emit(b, at, parameter, extents, value), ...at];
            if (kind === 'store') b.op('field.store', operands, { field: 'out' });
            else b.op('field.atomic', operands, { field: 'out', kind });
          };
          if (where) b.if(b.cmp('ne', emit(b, at, parameter, extents, where), b.i32(0)), put);
          else put();
        }
      });
      b.for(b.i32(0), b.i32(8), b.i32(1), {}, [], (row) => {
        b.for(b.i32(0), b.i32(columns), b.i32(1), {}, [], (at) => {
          const x = b.value('field.load', [row, at], { field: 'out' });
          b.store('log', b.cast(x, 'f64'), b.add(b.mul(row, b.i32(columns)), at));
        });
      });
    },
    [log],
    { dialects: fieldDialects(of) },
  );
  return { ...makeModule('m', [log], [kernel]), layout: layoutTree(of) };
};

const right = <A>(e: Either<Diagnostics, A>): A => {
  if (e._tag === 'Left') throw new Error(JSON.stringify(e.left));
  return e.right;
};

const meaning = (of: Layout, module: Module, args: readonly number[]): Float64Array => {
  const buffers = allocateBuffers(module.buffers);
  const dialects = [...coreDialects, fieldDialect(of, new FieldStore(of))];
  right(interpret(module, dialects, buffers, { kernel: 'main', args }));
  return buffers.log as Float64Array;
};

const lowered = (of: Layout, module: Module, args: readonly number[], vectorBytes: 32 | 64 = 32): Float64Array => {
  const storage = storageOf(of, { budget: 1 << 14 });
  const low = right(lowerFields(storage, { ...quantPasses(storage), simplify: { vectorBytes } }).run(module));
  const buffers = allocateBuffers(low.buffers);
  initializeArena(storage, buffers[arenaName(storage.memory, 'i32')]);
  right(interpret(low, coreDialects, buffers, { kernel: 'main', args }));
  return buffers.log as Float64Array;
};

const vectorized = (of: Layout, module: Module): Module =>
  right(verify([...coreDialects, fieldDialect(of)]).run(right(vectorizeBits(of).run(module))));

const reasons = (module: Module): readonly string[] => {
  const found: string[] = [];
  walk(module.kernels[0].body, (op) => {
    if (op.name === 'field.for' || op.attrs.parallel === true) found.push(String(op.attrs.scalar ?? op.attrs.node));
  });
  return found;
};

const placed = (bits: number, word: 8 | 16 | 32 | 64, axes: typeof j | typeof ij, extents: readonly number[]) =>
  bitArray(axes, extents, word).place(
    ...Object.values(fields).map((f) => stored(f, int(bits, { signed: bits === 2 || bits === 3 }))),
  );

const one = placed(1, 16, j, [16]);
const layouts: Readonly<Record<string, readonly [of: () => Branch, columns: number]>> = {
  'bits in dense words': [() => dense(ij, [8, 3]).fork(one), 48],
  'two bits under pointers': [
    () =>
      dense(ij, [4, 2])
        .pointer()
        .dense(i, 2)
        .fork(placed(2, 32, j, [16])),
    32,
  ],
  'four bits in a hash table': [
    () =>
      hash(ij, [2, 2])
        .dense(i, 2)
        .fork(placed(4, 64, j, [16])),
    32,
  ],
  'three bits, with room to spare': [() => dense(ij, [8, 3]).fork(placed(3, 32, j, [10])), 30],
  'tiles of bits': [
    () =>
      dense(ij, [2, 4])
        .bitmasked()
        .fork(placed(1, 32, ij, [4, 8])),
    32,
  ],
  'rows of three lines of words': [() => dense(i, 8).fork(placed(8, 64, j, [192])), 192],
  'words of eight bits': [() => dense(ij, [8, 4]).fork(placed(1, 8, j, [8])), 32],
};

describe('loops over words do what loops over elements do', () => {
  it.each(Object.entries(layouts))('of %s', (_name, [branch, columns]) => {
    const of = layout(branch());
    fc.assert(
      fc.property(
        seeds,
        fc.array(store, { minLength: 1, maxLength: 2 }),
        fc.integer({ min: -4, max: 40 }),
        (s, stores, p) => {
          const module = moduleOf(of, s, stores, columns);
          const words = vectorized(of, module);
          expect(reasons(words)).toEqual(['up.up.u']);
          const expected = meaning(of, module, [p]);
          expect(meaning(of, words, [p])).toEqual(expected);
          /* Rows of words are cut by how long vectors are. */
          for (const bytes of [32, 64] as const) expect(lowered(of, module, [p], bytes)).toEqual(expected);
        },
      ),
      { numRuns: 12 },
    );
  });

  const whole = ['bits in dense words', 'three bits, with room to spare', 'words of eight bits'];
  const range = (most: number) =>
    fc
      .tuple(fc.nat(most - 1), fc.nat(most), fc.constantFrom(0, 0, 1, -2))
      .map(([from, many, plus]) => [from, Math.min(many, most - from), plus] as const);

  it.each(whole)('of %s, in ranges', (name) => {
    const [branch, columns] = layouts[name];
    const of = layout(branch());
    const words = 8 * (columns / of.nodes.find(({ kind }) => kind === 'bits')!.extents[1]!);
    fc.assert(
      fc.property(seeds, store, range(8), range(columns), (s, stored, rows, row) => {
        fc.pre(rows[1] * row[1] >= words);
        const module = moduleOf(of, s, [stored], columns, [rows, row]);
        const inWords = vectorized(of, module);
        expect(reasons(inWords)).toEqual(['up.up.u']);
        const expected = meaning(of, module, [3]);
        expect(meaning(of, inWords, [3])).toEqual(expected);
        expect(lowered(of, module, [3])).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it.each([
    [[0, 8, 0], [0, 30, 0], 'field.for'],
    [[1, 6, 0], [2, 28, 0], 'field.for'],
    [[0, 3, 0], [0, 30, 0], 'scf.for'],
    [[0, 8, 1], [0, 30, 0], 'scf.for'],
  ] as const)('or run over the elements of most words: %j and %j by %s', (rows, row, loop) => {
    const of = layout(layouts['three bits, with room to spare'][0]());
    const third: Node = {
      is: 'rem',
      x: { is: 'load', field: 'u', at: [1, -1], around: false },
      y: { is: 'parameter' },
    };
    const seeded = Array.from({ length: 12 }, (_, k) => ['u', k % 8, 5 * k + 1, (k % 7) - 3] as const);
    const module = moduleOf(of, seeded, [{ value: third, where: undefined, kind: 'add' }], 30, [rows, row]);
    const elements = vectorized(of, module);
    expect(reasons(elements)).toEqual(['it has arith.rem']);
    expect(elements.kernels[0].body.ops.some((op) => op.name === loop && op.attrs.scalar !== undefined)).toBe(true);
    const expected = meaning(of, module, [3]);
    expect(meaning(of, elements, [3])).toEqual(expected);
    expect(lowered(of, module, [3])).toEqual(expected);
  });

  it('not in ranges of elements that may be inactive, that go beyond the array, or that are few', () => {
    const copy: Store = {
      value: { is: 'load', field: 'u', at: [0, 0], around: false },
      where: undefined,
      kind: 'store',
    };
    const why = (name: string, ranges: Ranges): readonly string[] => {
      const of = layout(layouts[name][0]());
      return reasons(vectorized(of, moduleOf(of, [], [copy], layouts[name][1], ranges)));
    };
    expect(
      why('two bits under pointers', [
        [0, 8, 0],
        [0, 32, 0],
      ]),
    ).toEqual(["field 'out' may be inactive, and the loop goes through all of a range"]);
    expect(
      why('bits in dense words', [
        [0, 8, 0],
        [0, 49, 0],
      ]),
    ).toEqual(["it has a range that goes beyond field 'out'"]);
    expect(
      why('bits in dense words', [
        [3, 1, 0],
        [1, 20, 0],
      ]),
    ).toEqual(["it has ranges of fewer elements than field 'out' has words"]);
  });

  it('after what was stored to one of their elements twice', () => {
    const of = layout(layouts['three bits, with room to spare'][0]());
    const copy: Store = {
      value: { is: 'load', field: 'u', at: [0, 0], around: false },
      where: undefined,
      kind: 'store',
    };
    const module = moduleOf(
      of,
      [
        ['u', 7, 14, 0],
        ['u', 7, 14, -3],
      ],
      [copy],
      30,
    );
    expect(lowered(of, module, [0])[7 * 30 + 14]).toBe(-3);
  });
});
