import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import {
  buildKernel,
  constBuffer,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  walk,
  type Buffer,
  type Builder,
  type Module,
  type Pass,
  type Value,
} from '@filigree/ir';
import { canonicalize, promote, writeOut } from '@filigree/opt';
import { chooser, picker } from './chooser.js';

const SIZE = 4;
const buffers: readonly Buffer[] = [
  declareBuffer('y', 'i32', 8, 'inout'),
  declareBuffer('v', 'i32', SIZE, 'scratch'),
  declareBuffer('w', 'i32', SIZE, 'scratch'),
  constBuffer('t', 'i32', [2, 0, 3, 1]),
];

/** Loops and branches around arrays of an iteration's own, at places that counters and numbers name, and now and again others. */
const randomArrays = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const kernel = buildKernel(
    'arrays',
    { m: 'i32' },
    (b: Builder, { m }) => {
      const numbers = [0, 1, 2, 3].map(b.i32);
      const [zero, one] = numbers as [Value, Value, ...Value[]];
      const within = (v: Value): Value => b.and(v, numbers[3]!);
      const block = (depth: number, counters: readonly Value[], known: readonly Value[]): void => {
        const values = [...known];
        const index = (): Value =>
          choose(12) === 0
            ? within(pick(values))
            : choose(3) === 0
              ? within(b.add(pick(counters), one))
              : pick([...numbers, ...counters.map(within)]);
        for (let n = 1 + choose(4); n > 0; n--) {
          const kind = choose(9);
          if (kind === 0 && depth > 0)
            b.if(
              b.cmp(pick(['lt', 'eq']), pick(values), pick([...counters, ...numbers])),
              () => block(depth - 1, counters, values),
              choose(2) === 0 ? undefined : () => block(depth - 1, counters, values),
            );
          else if (kind <= 2 && depth > 0) {
            const attrs = pick([{}, {}, { simd: true }]);
            b.for(pick([zero, ...counters]), pick([...numbers, m]), one, attrs, [], (k) =>
              block(depth - 1, [...counters, k], [...values, k]),
            );
          } else if (kind === 3 && depth > 0)
            b.while(
              [zero],
              ([k]) => [b.cmp('lt', k!, pick([m, numbers[2]!])), k!],
              ([k]) => {
                block(depth - 1, counters, [...values, k!]);
                return [b.add(k!, one)];
              },
            );
          else if (kind <= 5) values.push(b.load(pick(['v', 'w', 't']), index()));
          else b.store(pick(['v', 'w']), b.add(pick(values.slice(-3)), one), index());
        }
      };
      const run = (i: Value): void => {
        for (const name of ['v', 'w']) for (const n of numbers) b.store(name, n, n);
        block(4, [i], [i, m]);
        b.store('y', b.add(b.load('v', within(i)), b.load('w', numbers[1]!)), i);
        for (const n of numbers) b.store('y', b.load('v', n), b.add(n, numbers[3]!));
      };
      if (choose(3) === 0) run(m);
      else b.for(zero, numbers[3]!, one, choose(2) === 0 ? { parallel: true } : {}, [], run);
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): Int32Array | undefined => {
  const y = new Int32Array(8);
  return E.isRight(interpret(module, coreDialects, { y }, { kernel: 'arrays', args: [m] })) ? y : undefined;
};

it('arrays of an iteration of its own hold the same as values', () => {
  let [gone, kept] = [0, 0];
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 30, maxLength: 150 }), fc.nat(3), (choices, m) => {
      const before = randomArrays(choices);
      expect(verifyModule(before, coreDialects)).toEqual([]);
      const expected = after(before, m);
      fc.pre(expected !== undefined);
      const made = [writeOut(), canonicalize(), promote()].reduce((module: Module, pass: Pass<Module>) => {
        const result = pass.run(module);
        if (E.isLeft(result)) throw new Error(result.left.map((d) => d.message).join());
        expect(verifyModule(result.right, coreDialects), pass.name).toEqual([]);
        return result.right;
      }, before);
      let accesses = 0;
      walk(made.kernels[0]!.body, ({ attrs }) => void (['@v', '@w'].includes(String(attrs['buffer'])) && accesses++));
      if (accesses === 0) gone++;
      else kept++;
      expect(after(made, m)).toEqual(expected);
    }),
    { numRuns: 600 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(gone).toBeGreaterThan(3);
  expect(kept).toBeGreaterThan(3);
});
