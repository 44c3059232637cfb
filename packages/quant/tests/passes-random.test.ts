import {
  allocateBuffers,
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  type Builder,
  type Diagnostics,
  type Module,
  type Value,
} from '@filigree/ir';
import { fixed, float, int, quantPasses, type QuantOptions } from '@filigree/quant';
import {
  arenaName,
  bitStruct,
  dense,
  field,
  fieldDialect,
  fieldDialects,
  hash,
  i,
  initializeArena,
  layout,
  layoutTree,
  storageOf,
  stored,
  type Branch,
  type Layout,
  type Placeable,
} from '@filigree/sparse/fields';
import { lowerFields } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import type { Either } from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'] as const;
const [a, b, c, d, e] = [
  field('a', 'f32', { ambient: 1.5 }),
  field('b', 'i32'),
  field('c', 'f32', { ambient: -0.25 }),
  field('d', 'i32', { ambient: 3 }),
  field('e', 'f64'),
];
const [f, g] = [field('f', 'f32', { ambient: 5 }), field('g', 'f32', { ambient: 0.375 })];
const shared = float(4, 7, { shared: 'both' });
const places: readonly Placeable[] = [
  bitStruct(32, stored(a, float(4, 5)), stored(b, int(9)), stored(c, fixed(13, 2))),
  bitStruct(64, stored(d, int(20, { signed: false })), stored(e, fixed(44, 8))),
  bitStruct(32, stored(f, shared), stored(g, shared), stored(field('h', 'i32'), int(9))),
];

const nodes: Readonly<Record<string, () => Branch>> = {
  dense: () => dense(i, 8).place(...places),
  pointers: () =>
    dense(i, 2)
      .pointer()
      .dense(i, 4)
      .place(...places),
  'a hash table': () =>
    hash(i, 4)
      .dense(i, 2)
      .place(...places),
};

/** What is done to an element: at a constant index, or that of a loop that moves along it. */
interface Access {
  readonly is: 'store' | 'pair' | 'add' | 'load';
  readonly field: (typeof names)[number];
  readonly at: number;
  readonly moves: boolean;
  readonly value: number;
}

type Step = Access | { readonly is: 'if' | 'for'; readonly steps: readonly Step[]; readonly other: readonly Step[] };

const access: fc.Arbitrary<Access> = fc.record({
  is: fc.constantFrom('store', 'store', 'store', 'store', 'pair', 'add', 'load'),
  field: fc.constantFrom(...names),
  at: fc.integer({ min: 0, max: 2 }),
  moves: fc.boolean(),
  value: fc.integer({ min: -40, max: 40 }),
});

const steps = fc.letrec<{ step: Step; steps: readonly Step[] }>((tie) => ({
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    access,
    access,
    access,
    fc.record({ is: fc.constantFrom('if', 'for'), steps: tie('steps'), other: tie('steps') }),
  ),
  steps: fc.array(tie('step'), { minLength: 1, maxLength: 6 }),
})).steps;

/** Does all steps; what is loaded, and all elements at the end, are added up in a buffer. */
const moduleOf = (of: Layout, list: readonly Step[]): Module => {
  const log = declareBuffer('log', 'f64', 1 + 8 * names.length, 'output');
  const kernel = buildKernel(
    'main',
    {},
    (k) => {
      const index = (at: number, by: Value | undefined): Value => (by ? k.add(by, k.i32(at)) : k.i32(at));
      const run = (s: Step, by: Value | undefined): void => {
        switch (s.is) {
          case 'if':
            k.if(
              k.cmp('lt', k.cast(k.load('log', k.i32(0)), 'i32'), k.i32(1)),
              () => s.steps.forEach((x) => run(x, by)),
              () => s.other.forEach((x) => run(x, by)),
            );
            return;
          case 'for':
            k.for(k.i32(0), k.i32(3), k.i32(1), {}, [], (n) => s.steps.forEach((x) => run(x, n)));
            return;
          default:
            perform(k, of, s, index(s.at, s.moves ? by : undefined));
        }
      };
      for (const s of list) run(s, undefined);
      names.forEach((name, f) => {
        for (let at = 0; at < 8; at++) {
          const x = k.value('field.load', [k.i32(at)], { field: name });
          k.store('log', k.cast(x, 'f64'), k.i32(1 + 8 * f + at));
        }
      });
    },
    [log],
    { dialects: fieldDialects(of) },
  );
  return { ...makeModule('m', [log], [kernel]), layout: layoutTree(of) };
};

const perform = (k: Builder, of: Layout, s: Access, at: Value): void => {
  const { type } = of.fields.get(s.field)!.field;
  const x = k.constant(type === 'i32' ? s.value : s.value / 16, type);
  if (s.is === 'pair') {
    const [one, other] = [s.value / 16, s.value * s.value].map((v) => k.constant(v, 'f32'));
    k.op('field.store_word', [one, other, at], { field: 'f', fields: ['f', 'g'] });
  } else if (s.is === 'store' || (s.is === 'add' && (s.field === 'f' || s.field === 'g')))
    k.op('field.store', [x, at], { field: s.field });
  else if (s.is === 'add') k.value('field.atomic', [x, at], { field: s.field, kind: 'add' });
  else {
    const seen = k.cast(k.value('field.load', [at], { field: s.field }), 'f64');
    k.store('log', k.add(k.load('log', k.i32(0)), seen), k.i32(0));
  }
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

const onArena = (of: Layout, module: Module, options: QuantOptions): Float64Array => {
  const storage = storageOf(of, { budget: 1 << 14 });
  const lowered = right(lowerFields(storage, quantPasses(storage, options)).run(module));
  const buffers = allocateBuffers(lowered.buffers);
  initializeArena(storage, buffers[arenaName(storage.memory, 'i32')]);
  right(interpret(lowered, coreDialects, buffers, { kernel: 'main' }));
  return buffers.log as Float64Array;
};

describe('passes on quantised fields leave the meaning as it is', () => {
  it.each(Object.entries(nodes))('under %s', (_name, under) => {
    const of = layout(under());
    fc.assert(
      fc.property(steps, (list) => {
        const module = moduleOf(of, list);
        const expected = onStore(of, module);
        expect(onArena(of, module, {})).toEqual(expected);
        expect(onArena(of, module, { own: false })).toEqual(expected);
        expect(onArena(of, module, { fuse: false })).toEqual(expected);
      }),
      { numRuns: 15 },
    );
  });
});
