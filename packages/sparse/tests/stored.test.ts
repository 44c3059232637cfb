import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  isFloat,
  makeModule,
  parseModule,
  printModule,
  type AtomicKind,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import {
  arenaName,
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
  layout,
  layoutOf,
  layoutTree,
  storageOf,
  stored,
  vectorField,
  type Branch,
  type Layout,
  type Placeable,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { low, sampleFormats, top } from './sample-formats.js';
import { left, right, thrown } from './support.js';

const a = field('a', 'f32', { ambient: 1.5 });
const c = field('c', 'u32');
const d = field('d', 'i32', { ambient: 5 });
const e = field('e', 'u64');
const v = vectorField('v', 'f32', 2);
const plain = field('plain', 'f32', { ambient: -2 });

/** Ways to place the same fields. */
const placements: Readonly<Record<string, readonly Placeable[]>> = {
  'in words of their own': [
    plain,
    stored(a, top(13)),
    stored(c, low(7)),
    stored(d, low(32)),
    stored(e, low(40)),
    stored(v, top(16)),
  ],
  'in words that they share': [
    bitStruct(32, stored(a, top(13)), stored(c, low(7)), stored(d, low(12))),
    plain,
    bitStruct(64, stored(e, low(31)), stored(v, top(16))),
  ],
  'in small words and a wide code': [
    bitStruct(8, stored(c, low(3)), stored(d, low(4))),
    bitStruct(16, stored(a, top(10))),
    stored(e, low(64)),
    bitStruct(64, stored(v, top(32))),
    plain,
  ],
};

const nodes: Readonly<Record<string, (places: readonly Placeable[]) => Branch>> = {
  dense: (p) => dense(i, 8).place(...p),
  pointers: (p) =>
    dense(i, 2)
      .pointer()
      .dense(i, 4)
      .place(...p),
  'a mask': (p) =>
    dense(i, 8)
      .bitmasked()
      .place(...p),
  'a hash table': (p) =>
    hash(i, 4)
      .dense(i, 2)
      .place(...p),
  'a list': (p) => dynamic(i, 8).place(...p),
};

/** What is done to one element of a field. */
interface Step {
  readonly field: string;
  readonly at: number;
  readonly kind: AtomicKind | 'store' | 'load';
  readonly value: number;
}

const fieldsIn = ['plain', 'a', 'c', 'd', 'e', 'v_0', 'v_1'];
const typeOf = (of: Layout, name: string) => of.fields.get(name)!.field.type;

const step: fc.Arbitrary<Step> = fc
  .record({
    field: fc.constantFrom(...fieldsIn),
    at: fc.nat(7),
    kind: fc.constantFrom('store' as const, 'store' as const, 'add' as const, 'max' as const, 'exchange' as const),
    value: fc.nat(300),
  })
  .chain((s) => fc.constantFrom(s, s, { ...s, kind: 'load' as const }));

/** Does all steps, and writes what they give, and all elements at the end, to a buffer. */
const moduleOf = (of: Layout, steps: readonly Step[]): Module => {
  const log = declareBuffer('log', 'f64', steps.length + 8 * fieldsIn.length, 'output');
  const note = (b: Builder, n: number, x: Value): void => void b.store('log', b.cast(x, 'f64'), b.i32(n));
  const kernel = buildKernel(
    'main',
    {},
    (b) => {
      steps.forEach(({ field: name, at, kind, value }, n) => {
        const type = typeOf(of, name);
        const x = b.constant(type === 'u64' ? BigInt(value) : isFloat(type) ? value / 7 : value, type);
        if (kind === 'store') b.op('field.store', [x, b.i32(at)], { field: name });
        else if (kind === 'load') note(b, n, b.value('field.load', [b.i32(at)], { field: name }));
        else note(b, n, b.value('field.atomic', [x, b.i32(at)], { field: name, kind }));
      });
      fieldsIn.forEach((name, f) => {
        for (let at = 0; at < 8; at++)
          note(b, steps.length + 8 * f + at, b.value('field.load', [b.i32(at)], { field: name }));
      });
    },
    [log],
    { dialects: fieldDialects(of) },
  );
  return { ...makeModule('m', [log], [kernel]), layout: layoutTree(of) };
};

const onStore = (of: Layout, module: Module): Float64Array => {
  const buffers = allocateBuffers(module.buffers);
  right(interpret(module, [...coreDialects, fieldDialect(of, new FieldStore(of))], buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

const onArena = (of: Layout, module: Module, simplify: boolean): Float64Array => {
  const storage = storageOf(of, { budget: 1 << 14 });
  const lowered = right(lowerFields(storage, simplify ? {} : { simplify: false }).run(module));
  const buffers = allocateBuffers(lowered.buffers);
  initializeArena(storage, buffers[arenaName(storage.memory, 'i32')]);
  right(interpret(lowered, coreDialects, buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

describe.each(Object.entries(placements))('fields stored in formats, %s', (_, places) => {
  it.each(Object.entries(nodes))('under %s, hold what was written as it is rounded', (_name, under) => {
    const of = layout(under(places));
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const module = moduleOf(of, steps);
        const expected = onStore(of, module);
        expect(onArena(of, module, false)).toEqual(expected);
        expect(onArena(of, module, true)).toEqual(expected);
      }),
      { numRuns: 12 },
    );
  });

  it('come back from text as they were', () => {
    const of = layout(dense(ij, 4).place(...places));
    const text = printModule({ ...makeModule('m', [], []), layout: layoutTree(of) });
    const back = layoutOf(right(parseModule(text)).layout!, sampleFormats);
    expect(printModule({ ...makeModule('m', [], []), layout: layoutTree(back) })).toBe(text);
    expect(back.nodes.map((n) => [n.name, n.stored?.word, n.stored?.shift])).toEqual(
      of.nodes.map((n) => [n.name, n.stored?.word, n.stored?.shift]),
    );
  });
});

describe('words', () => {
  it('take the room of their bits', () => {
    const of = layout(dense(i, 100).place(...placements['in words that they share']));
    expect(storageOf(of).nodes[1].cellBytes).toBe(16);
    expect(storageOf(layout(dense(i, 100).place(stored(c, low(7))))).nodes[1].cellBytes).toBe(1);
  });

  it('are what effects name, so that two fields in one are seen to conflict', () => {
    const of = layout(dense(i, 8).place(...placements['in words that they share']));
    const [load, store] = ['field.load', 'field.store'].map((name) => fieldDialect(of).ops[name]);
    const op = (name: string, field: string) => ({ name, operands: [], results: [], attrs: { field }, regions: [] });
    expect(store.effects(op('field.store', 'c'))).toEqual([{ kind: 'write', buffer: '$a' }]);
    expect(load.effects(op('field.load', 'd'))).toEqual([{ kind: 'read', buffer: '$a' }]);
    expect(load.effects(op('field.load', 'plain'))).toEqual([{ kind: 'read', buffer: '$plain' }]);
  });

  it('print as blocks', () => {
    const of = layout(dense(i, 8).place(bitStruct(32, stored(a, top(13)), stored(c, low(7))), plain));
    expect(printModule({ ...makeModule('m', [], []), layout: layoutTree(of) })).toBe(`module @m {
  layout {
    dense (i: 8) {
      word 32 {
        field @a : f32 = 1.5 as top {bits = 13}
        field @c : u32 as low {bits = 7}
      }
      field @plain : f32 = -2
    }
  }
}
`);
  });
});

describe('bad formats', () => {
  it('are refused where they are given', () => {
    expect(thrown(() => stored(a, low(3)))).toMatchObject({
      code: 'layout/format',
      message: "field 'a' of type f32 cannot be stored as low: it is for integers",
    });
    const { encode: _, emitDecode: __, ...half } = low(3);
    expect(thrown(() => stored(c, { ...half, bits: 65 } as never))).toMatchObject({
      code: 'layout/format',
      message: "field 'c' is stored in a format that lacks bits from 1 to 64, encode(), emitDecode()",
    });
    expect(thrown(() => stored(c, low as never))).toMatchObject({ code: 'layout/format' });
    expect(thrown(() => bitStruct(8, stored(c, low(7)), stored(d, low(2))))).toMatchObject({
      code: 'layout/format',
      message: "'c', 'd' take 9 bits of a word of 8",
    });
    expect(thrown(() => bitStruct(12 as never, stored(c, low(7))))).toMatchObject({ code: 'layout/format' });
    expect(thrown(() => bitStruct(32, c as never))).toMatchObject({ code: 'layout/format' });
  });

  it('in text with their line', () => {
    const parsed = right(
      parseModule(
        'module @m {\n  layout {\n    dense (i: 4) {\n      field @u : f32 as odd {bits = 3}\n    }\n  }\n}\n',
      ),
    );
    expect(thrown(() => layoutOf(parsed.layout!, sampleFormats))).toMatchObject({
      code: 'layout/format',
      message: "field 'u' is stored as 'odd', which is no format that is known here",
      loc: { line: 4 },
    });
    expect(thrown(() => layoutOf({ ...parsed.layout! }, { odd: low(3) as never }))).toMatchObject({
      code: 'layout/format',
      message: "what is given as the format 'odd' is no function",
    });
    expect(
      left(parseModule('module @m {\n  layout {\n    dense (i: 4) {\n      field @u : f32 as {}\n    }\n  }\n}\n')),
    ).toMatchObject({ code: 'parse/syntax' });
  });
});
