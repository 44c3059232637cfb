import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  parseModule,
  printModule,
  type AtomicKind,
  type Builder,
  type Diagnostics,
  type Module,
  type Value,
} from '@filigree/ir';
import { fixed, float, int, quantFormats, quantPasses } from '@filigree/quant';
import { ArenaStore } from '@filigree/sparse/meaning';
import {
  arenaName,
  bitArray,
  bitStruct,
  dense,
  dynamic,
  field,
  fieldDialect,
  fieldDialects,
  hash,
  i,
  ij,
  initializeArena,
  j,
  layout,
  layoutOf,
  layoutText,
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
const v = field('v', 'u32');
const w = field('w', 'i32', { ambient: -2 });
const x = field('x', 'f32', { ambient: 0.5 });
const names = ['u', 'v', 'w', 'x'] as const;

const one = int(1, { signed: false });
const [nibble, eighth] = [int(4), fixed(8, 2)];

/** Fields of 1, 2, 4 and 8 bits in words of all sizes. */
const arrays: Readonly<Record<string, () => readonly Branch[]>> = {
  'of bits': () => [
    bitArray(j, 16, 16).place(stored(u, one), stored(v, one)),
    bitArray(j, 16, 64).place(stored(w, nibble)),
    bitArray(j, 16, 32).place(stored(x, eighth)),
  ],
  'of several words': () => [
    bitArray(j, 16, 8).place(stored(u, one)),
    bitArray(j, 16, 8).place(stored(v, int(2, { signed: false }))),
    bitArray(j, 16, 8).place(stored(w, nibble)),
    bitArray(j, 16, 16).place(stored(x, eighth)),
  ],
};

const nodes: Readonly<Record<string, (branches: readonly Branch[]) => Branch>> = {
  dense: (p) => dense(i, 4).fork(...p),
  pointers: (p) =>
    dense(i, 2)
      .pointer()
      .dense(i, 2)
      .fork(...p),
  'pointers to one word': (p) =>
    dense(i, 4)
      .pointer()
      .fork(...p),
  'a mask': (p) =>
    dense(i, 4)
      .bitmasked()
      .fork(...p),
  'a hash table': (p) =>
    hash(i, 2)
      .dense(i, 2)
      .fork(...p),
  'a list': (p) => dynamic(i, 4).fork(...p),
};

const tiles = (p: { readonly u: number }): Branch =>
  dense(ij, p.u)
    .morton()
    .fork(
      bitArray(ij, [2, 8], 16).place(stored(u, one), stored(v, one)),
      bitArray(ij, [2, 8], 32).place(stored(w, nibble)),
      bitArray(ij, [2, 8], 64).place(stored(x, eighth)),
    );

interface Step {
  readonly field: (typeof names)[number];
  readonly at: readonly [number, number];
  readonly kind: AtomicKind | 'store' | 'load' | 'row' | 'drop' | 'all';
  readonly value: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  field: fc.constantFrom(...names),
  at: fc.tuple(fc.integer({ min: -1, max: 4 }), fc.integer({ min: -3, max: 17 })),
  kind: fc.constantFrom('store', 'store', 'add', 'max', 'exchange', 'load', 'row', 'drop', 'all'),
  value: fc.integer({ min: -9, max: 9 }),
});

/** Does all steps, and writes what they give, and all elements at the end, to a buffer. */
const moduleOf = (of: Layout, steps: readonly Step[], rows: number): Module => {
  const log = declareBuffer('log', 'f64', steps.length + 16 * rows * names.length, 'output');
  const note = (b: Builder, n: number | Value, y: Value): void =>
    void b.store('log', b.cast(y, 'f64'), typeof n === 'number' ? b.i32(n) : n);
  const kernel = buildKernel(
    'main',
    {},
    (b) => {
      const number = (name: string, value: number): Value => {
        const { type } = of.fields.get(name)!.field;
        return b.constant(type === 'u32' ? Math.abs(value) : type === 'f32' ? value / 5 : value, type);
      };
      steps.forEach(({ field: name, at, kind, value }, n) => {
        const y = number(name, value);
        const place = at.map((c) => b.i32(c));
        const other = names[(names.indexOf(name) + 1) % names.length];
        switch (kind) {
          case 'store':
            b.op('field.store', [y, ...place], { field: name });
            return;
          case 'load':
            return note(b, n, b.value('field.load', place, { field: name }));
          case 'drop':
            b.op('field.deactivate', place, { node: nodeWith(of, name) });
            return;
          case 'row':
            b.for(b.i32(0), b.i32(14), b.i32(1), {}, [], (k) => {
              const next = b.add(k, b.i32(1 + (Math.abs(value) % 2)));
              const old = b.value('field.load', [place[0], next], { field: name });
              b.op('field.store', [old, place[0], k], { field: name });
            });
            return;
          case 'all':
            overAll(b, nodeWith(of, name), (k) => {
              const old = b.value('field.load', [k[0], b.add(k[1], b.i32(value))], { field: other });
              b.op('field.store', [b.add(b.cast(old, y.type as 'i32'), y), ...k], { field: name });
            });
            return;
          default:
            note(b, n, b.value('field.atomic', [y, ...place], { field: name, kind }));
        }
      });
      names.forEach((name, f) => {
        b.for(b.i32(0), b.i32(rows), b.i32(1), {}, [], (row) => {
          b.for(b.i32(0), b.i32(16), b.i32(1), {}, [], (at) => {
            const n = b.add(b.add(b.mul(row, b.i32(16)), at), b.i32(steps.length + 16 * rows * f));
            note(b, n, b.value('field.load', [row, at], { field: name }));
          });
        });
      });
    },
    [log],
    { dialects: fieldDialects(of) },
  );
  return { ...makeModule('m', [log], [kernel]), layout: layoutTree(of) };
};

/** The node in whose cells a field lies. */
const nodeWith = (of: Layout, name: string): string => of.nodes[of.fields.get(name)!.path.at(-2)!].name;

/** A loop over the active elements of a node. */
const overAll = (b: Builder, node: string, body: (at: readonly Value[]) => void): void => {
  const { region } = b.region(
    [
      { type: 'i32', hint: 'i' },
      { type: 'i32', hint: 'j' },
    ],
    (at) => {
      body(at);
      return [];
    },
  );
  b.op('field.for', [], { node }, [region]);
};

const right = <A>(e: Either<Diagnostics, A>): A => {
  if (e._tag === 'Left') throw new Error(JSON.stringify(e.left));
  return e.right;
};

const onStore = (of: Layout, module: Module): Float64Array => {
  const buffers = allocateBuffers(module.buffers);
  right(interpret(module, [...coreDialects, fieldDialect(of, new FieldStore(of))], buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

const onArena = (of: Layout, module: Module): Float64Array => {
  const store = new ArenaStore(storageOf(of, { budget: 1 << 14 }));
  const buffers = { ...allocateBuffers(module.buffers), ...store.buffers };
  const whole = { ...module, buffers: [...module.buffers, ...store.storage.buffers] };
  right(interpret(whole, [...coreDialects, fieldDialect(of, store)], buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

const lowered = (of: Layout, module: Module, options: Parameters<typeof lowerFields>[1]): Float64Array => {
  const storage = storageOf(of, { budget: 1 << 14 });
  const low = right(lowerFields(storage, options).run(module));
  const buffers = allocateBuffers(low.buffers);
  initializeArena(storage, buffers[arenaName(storage.memory, 'i32')]);
  right(interpret(low, coreDialects, buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

const agree = (of: Layout, steps: readonly Step[], rows: number): void => {
  const module = moduleOf(of, steps, rows);
  const expected = onStore(of, module);
  expect(onArena(of, module)).toEqual(expected);
  expect(lowered(of, module, { simplify: false })).toEqual(expected);
  expect(lowered(of, module, quantPasses(storageOf(of, { budget: 1 << 14 })))).toEqual(expected);
};

describe.each(Object.entries(arrays))('arrays %s', (_, branches) => {
  it.each(Object.entries(nodes))('under %s hold what was written as it is rounded', (name, under) => {
    const of = layout(under(branches()));
    /* Single elements of lists stay active. */
    const fits = name === 'a list' ? step.filter((s) => s.at[0] >= 0 && s.at[0] < 4) : step;
    fc.assert(
      fc.property(fc.array(fits, { minLength: 1, maxLength: 8 }), (steps) => agree(of, steps, 4)),
      { numRuns: 8 },
    );
  });
});

describe('arrays of tiles', () => {
  it('under a Z-order curve hold what was written', () => {
    const of = layout(tiles({ u: 2 }));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => agree(of, steps, 4)),
      { numRuns: 8 },
    );
  });
});

describe('words of bit arrays', () => {
  it('hold as many elements as fit', () => {
    const of = layout(
      dense(i, 3).fork(bitArray(j, 1024, 64).place(stored(u, one)), bitArray(j, 20, 32).place(stored(w, int(3)))),
    );
    expect(layoutText(of)).toBe(`root()
  dense(i: 3)
    dense(j: 16)
      bits(j: 64)
        field 'u'
    dense(j: 2)
      bits(j: 10)
        field 'w'`);
    expect(storageOf(of).nodes[1].cellBytes).toBe(1024 / 8 + 2 * 4);
  });

  it('come back from text', () => {
    const of = layout(
      dense(i, 3).fork(...arrays['of bits'](), ...[bitArray(j, 64, 8).place(stored(field('y', 'u32'), one))]),
    );
    const text = printModule({ ...makeModule('m', [], []), layout: layoutTree(of) });
    expect(text).toContain('bits (j: 8) word = 8 {\n          field @y : u32 as int {bits = 1, signed = false}');
    const back = layoutOf(right(parseModule(text)).layout!, quantFormats);
    expect(printModule({ ...makeModule('m', [], []), layout: layoutTree(back) })).toBe(text);
    expect(back.nodes.map((n) => n.name)).toEqual(of.nodes.map((n) => n.name));
  });
});

describe('what is no bit array', () => {
  const refusal = (make: () => unknown): unknown => {
    try {
      return make();
    } catch (e) {
      return (e as { diagnostics: readonly { code: string; message: string; remedy?: string }[] }).diagnostics[0];
    }
  };
  it.each<readonly [string, () => unknown, string]>([
    [
      'an extent that fills no words',
      () => bitArray(j, 48, 32).place(stored(u, one)),
      'do not fill words, of which each holds 32',
    ],
    ['rows that fill none', () => bitArray(ij, [4, 24], 64).place(stored(u, one)), 'rows of 4 × 24 elements'],
    ['too many bits', () => bitArray(j, 32, 8).place(stored(w, int(12))), 'has 12 bits, a word of its bit array 8'],
    ['two widths', () => bitArray(j, 32, 32).place(stored(u, one), stored(w, nibble)), 'have 1 and 4 bits'],
    ['a node within', () => bitArray(j, 32, 32).dense(i, 2), 'hold no nodes'],
    ['a branch within', () => bitArray(j, 32, 32).fork(dense(i, 2).place(v)), 'hold no nodes'],
    ['a field as it is', () => bitArray(j, 32, 32).place(v), 'as what it is'],
    [
      'a bit struct',
      () => bitArray(j, 32, 32).place(bitStruct(32, stored(u, one))),
      'no field that says how it is stored',
    ],
    [
      'a shared exponent',
      () => bitArray(j, 4, 64).place(stored(x, float(4, 7, { shared: 's' }))),
      "shares 's' with others",
    ],
    ['a word that there is not', () => bitArray(j, 12, 12 as never), 'words of 8, 16, 32 or 64 bits'],
    [
      'an integer wider than its type',
      () => bitArray(j, 2, 64).place(stored(u, int(32, { signed: false }))),
      'i32 does not hold',
    ],
  ])('%s is refused', (_name, make, message) => {
    const found = refusal(make) as { readonly code: string; readonly message: string };
    expect(found.code).toMatch(/^layout\/(bit-array|format)$/);
    expect(found.message).toContain(message);
  });
  it('pointers around bits are refused', () => {
    expect(refusal(() => bitArray(j, 32, 32).pointer())).toMatchObject({ code: 'layout/decorator' });
  });
});
