import { buildKernel, makeModule, type Builder, type Module, type Pass, type Value } from '@filigree/ir';
import { dense, field, fieldDialects, i, ij, layout, storageOf } from '@filigree/sparse/fields';
import { fieldPasses } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentsOf, runOnFields } from './field-meaning.js';
import { right } from './support.js';

/* In whole numbers, so that sums are exact; one of several axes, one that shares its cells, one whose cells come to be. */
const [a, b, y, s] = [field('a', 'i32'), field('b', 'i32'), field('y', 'i32'), field('s', 'i32')];
const shape = layout(dense(ij, 4).place(a, b), dense(i, 4).place(y), dense(ij, 2).pointer().dense(ij, 2).place(s));
const FIELDS = [
  ['a', 2],
  ['a', 2],
  ['b', 2],
  ['b', 2],
  ['y', 1],
  ['s', 2],
] as const;

/** A nest of two loops in a parallel one, whose iterations update rows of their own, with what the choices say computed, read and written. */
const randomNest = (choices: readonly number[]): Module => {
  let at = 0;
  const choose = (n: number): number => choices[at++ % choices.length]! % n;
  const pick = <T>(of: readonly T[]): T => of[choose(of.length)]!;
  const kernel = buildKernel(
    'nest',
    { m: 'i32' },
    (build, { m }) => {
      const [zero, one, two, four] = [0, 1, 2, 4].map(build.i32) as [Value, Value, Value, Value];
      const read = (build: Builder, counters: readonly Value[]): Value => {
        const [name, axes] = pick(FIELDS);
        const index = Array.from({ length: axes }, () => pick(counters));
        return build.value('field.load', index, { field: name });
      };
      const update = (build: Builder, value: Value, rows: readonly Value[], counters: readonly Value[]): void => {
        const name = pick(['a', 'a', 'b', 's']);
        const index = [pick(rows), pick(counters)];
        if (choose(4) === 0) return void build.op('field.store', [value, ...index], { field: name });
        const old = build.value('field.atomic', [value, ...index], {
          field: name,
          kind: pick(['add', 'add', 'max', 'exchange']),
        });
        if (choose(6) === 0) build.op('field.store', [old, ...index], { field: 'b' });
      };
      build.for(zero, four, one, { parallel: true }, [], (row) => {
        const around = choose(2) === 0 ? [] : [read(build, [row, zero])];
        build.for(choose(2) === 0 ? zero : one, pick([m, two, four]), one, {}, [], (k) => {
          const outer = [k, row, ...around, ...(choose(2) === 0 ? [build.add(row, one)] : [])];
          const values = Array.from({ length: choose(3) }, () => read(build, [row, k]));
          if (choose(8) === 0) values.push(build.div(k, build.add(row, one)));
          build.for(
            zero,
            pick([m, four, four, build.add(row, one), ...(choose(4) === 0 ? [k] : [])]),
            one,
            {},
            [],
            (j) => {
              const all = [...outer, ...values];
              for (let n = 1 + choose(3); n > 0; n--) all.push(read(build, [row, k, j, j]));
              for (let n = choose(3); n > 0; n--)
                all.push(build.value(pick(['arith.add', 'arith.mul']), [pick(all), pick(all)]));
              for (let n = 1 + choose(2); n > 0; n--) update(build, all.at(-1 - choose(2))!, [row], [j, j, j, k, row]);
            },
          );
        });
      });
    },
    [],
    { dialects: fieldDialects(shape) },
  );
  return makeModule('m', [], [kernel]);
};

/** What fields hold after a module has run. */
const contentsAfter = (module: Module, m: number): ReturnType<typeof contentsOf> => {
  const store = new FieldStore(shape);
  for (let x = 0; x < 4; x++) {
    store.store('y', [x], 3 - x);
    for (let z = 0; z < 4; z++) for (const name of ['a', 'b']) store.store(name, [x, z], 5 * x + z);
  }
  store.store('s', [1, 2], 7);
  runOnFields(module, store, {}, 'nest', [m]);
  return contentsOf(shape, store);
};

const choices = fc.array(fc.nat(1 << 20), { minLength: 30, maxLength: 90 });
const turned = (module: Module): Module =>
  right((fieldPasses(storageOf(shape))['sums-inside']!({}) as Pass<Module>).run(module));

it('nests whose sums are put inside leave the same', () => {
  fc.assert(
    fc.property(choices, fc.nat(4), (choices, m) => {
      const before = randomNest(choices);
      expect(contentsAfter(turned(before), m)).toEqual(contentsAfter(before, m));
    }),
    { numRuns: 1000 },
  );
});

it('are put inside in some of these nests, however few of them are tried', () => {
  const nests = fc.sample(choices, { numRuns: 1000, seed: 1 }).map(randomNest);
  expect(nests.filter((nest) => turned(nest) !== nest).length).toBeGreaterThan(5);
});

/** `c[i][j] += a[i][k] * b[k][j]` row by row, where the outer loop stores something that is not of the sums. */
const nestThatStores = (constant: boolean): Module => {
  const kernel = buildKernel(
    'nest',
    { m: 'i32' },
    (build, { m }) => {
      const [zero, one, four] = [0, 1, 4].map(build.i32) as [Value, Value, Value];
      build.for(zero, four, one, { parallel: true }, [], (row) =>
        build.for(zero, m!, one, {}, [], (k) => {
          build.op('field.store', [constant ? one : k, row], { field: 'y' });
          build.for(zero, four, one, {}, [], (j) => {
            const product = build.mul(k, build.value('field.load', [k, j], { field: 'b' }));
            build.value('field.atomic', [product, row, j], { field: 'a', kind: 'add' });
          });
        }),
      );
    },
    [],
    { dialects: fieldDialects(shape) },
  );
  return makeModule('m', [], [kernel]);
};

it.each([true, false])('what the outer loop stores is stored as often as it runs, a constant: %s', (constant) => {
  const before = nestThatStores(constant);
  const after = turned(before);
  for (const m of [0, 3]) expect(contentsAfter(after, m)).toEqual(contentsAfter(before, m));
});
