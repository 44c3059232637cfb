import { buildKernel, makeModule, walk, type Builder, type Module, type Pass, type Value } from '@filigree/ir';
import { dense, field, fieldDialects, i, ij, layout, storageOf } from '@filigree/sparse/fields';
import { fieldPasses } from '@filigree/sparse/lowering';
import { FieldStore } from '@filigree/sparse/meaning';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { contentsOf, runOnFields } from './field-meaning.js';
import { right } from './support.js';

/* All of one type, so that any value may go to any of them; in whole numbers, so that sums are exact. */
const [a, b, y] = [field('a', 'i32'), field('b', 'i32'), field('y', 'i32')];
const shape = layout(dense(ij, 4).place(a, b), dense(i, 4).pointer().dense(i, 2).place(y));
const FIELDS = [
  ['a', 2],
  ['b', 2],
  ['y', 1],
] as const;

/** Loops, branches and updates as the choices say; coordinates may lie outside of their fields. */
const randomUpdates = (choices: readonly number[]): Module => {
  let at = 0;
  const choose = (n: number): number => choices[at++ % choices.length]! % n;
  const kernel = buildKernel(
    'updates',
    { m: 'i32' },
    (build, { m }) => {
      const [zero, one, two, four] = [0, 1, 2, 4].map(build.i32) as [Value, Value, Value, Value];
      const pick = <T>(of: readonly T[]): T => of[choose(of.length)]!;
      const access = (build: Builder, counters: readonly Value[], values: Value[]): void => {
        const [name, axes] = pick(FIELDS);
        const coordinate = (): Value =>
          choose(3) === 0 ? build.add(pick(counters), pick([one, two])) : pick([...counters, ...counters, zero, one]);
        const index = Array.from({ length: axes }, coordinate);
        const value = pick(values.slice(-3));
        switch (choose(4)) {
          case 0:
            return void values.push(build.value('field.load', index, { field: name }));
          case 1:
            return void build.op('field.store', [value, ...index], { field: name });
          default: {
            const kind = pick(['add', 'add', 'max', 'xor', 'exchange']);
            const old = build.value('field.atomic', [value, ...index], { field: name, kind });
            if (choose(3) === 0) values.push(old);
          }
        }
      };
      const block = (depth: number, counters: readonly Value[], known: readonly Value[]): void => {
        const values = [...known];
        for (let n = 1 + choose(3); n > 0; n--) {
          const kind = choose(6);
          if (kind >= 4 || depth === 0) access(build, counters, values);
          else if (kind === 0) {
            const [some, other] = [pick(values), pick(counters)];
            build.if(build.cmp('lt', some, other), () => block(depth - 1, counters, values));
          } else
            build.for(
              choose(2) === 0 ? zero : build.add(pick(counters), one),
              pick([m, two, four, four, pick(counters)]),
              one,
              {},
              [],
              (k) => block(depth - 1, [...counters, k], [...values, k]),
            );
        }
      };
      build.for(zero, four, one, choose(3) === 0 ? {} : { parallel: true }, [], (k) => block(4, [k], [k, m]));
    },
    [],
    { dialects: fieldDialects(shape) },
  );
  return makeModule('m', [], [kernel]);
};

/** What fields hold after a module has run, with how many iterations of the loops that ask. */
const contentsAfter = (module: Module, m: number): ReturnType<typeof contentsOf> => {
  const store = new FieldStore(shape);
  for (let x = 0; x < 4; x++) {
    if (x === 0) store.store('y', [x], 10);
    for (let z = 0; z < 4; z++) for (const name of ['a', 'b']) store.store(name, [x, z], 5 * x + z);
  }
  runOnFields(module, store, {}, 'updates', [m]);
  return contentsOf(shape, store);
};

it('elements that loops carry end as those that they update in place', () => {
  const passes = fieldPasses(storageOf(shape));
  const pass = passes['carry-elements']!({}) as Pass<Module>;
  let carried = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 30, maxLength: 120 }), fc.nat(3), (choices, m) => {
      const before = randomUpdates(choices);
      const after = right(pass.run(before));
      walk(after.kernels[0]!.body, ({ name, results }) => {
        if (name === 'scf.for' && results.length > 0) carried++;
      });
      expect(contentsAfter(after, m)).toEqual(contentsAfter(before, m));
    }),
    { numRuns: 1000 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(carried).toBeGreaterThan(10);
});
