import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import {
  buildKernel,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  type Buffer,
  type Builder,
  type Module,
  type Value,
} from '@filigree/ir';
import { tile } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { loopsIn } from './loops-in.js';

const SIZE = 16384;
const buffers: readonly Buffer[] = [declareBuffer('x', 'i32', SIZE, 'input'), declareBuffer('y', 'i32', SIZE, 'inout')];

/** Loops in any order around loads from anywhere and stores of elements that no other iteration touches. */
const randomNest = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const kernel = buildKernel(
    'nest',
    { m: 'i32' },
    (b: Builder, { m }) => {
      const lengths =
        choose(3) === 0 ? [32 + choose(12), 1 + choose(3), 32 + choose(12)] : [20 + choose(30), 20 + choose(30)];
      const first = lengths.map(() => (choose(3) === 0 ? choose(5) : 0));
      const one = b.i32(1);
      const bounds = lengths.map((n, k): readonly [Value, Value] => [b.i32(first[k]!), b.i32(first[k]! + n)]);
      /* Axes from the innermost of the stores on: of different lengths, so that no two iterations meet. */
      const order = choose(3) === 0 ? [...lengths.keys()] : [...lengths.keys()].reverse();
      const flat = (counters: readonly Value[], axes: readonly number[], turned: boolean): Value =>
        axes
          .map((a) =>
            turned ? b.sub(b.i32(first[a]! + lengths[a]! - 1), counters[a]!) : b.sub(counters[a]!, b.i32(first[a]!)),
          )
          .reduceRight((sum, c, k) => b.add(b.mul(sum, b.i32(lengths[axes[k]!]!)), c));
      const turned = choose(4) === 0;
      const own = (counters: readonly Value[]): Value => flat(counters, order, turned);
      const across = (counters: readonly Value[]): Value => flat(counters, [...order].reverse(), choose(4) === 0);
      const body = (counters: readonly Value[], early: readonly Value[]): void => {
        const values = [...counters, ...early, m];
        values.push(b.load('x', across(counters)), b.load('x', own(counters)));
        if (choose(2) === 0) values.push(b.load('y', own(counters)));
        for (let n = choose(4); n > 0; n--) values.push(b.add(pick(values), b.mul(pick(values), b.i32(3))));
        if (choose(3) === 0)
          return void b.if(b.cmp('lt', pick(values), pick(values)), () => b.store('y', pick(values), own(counters)));
        b.store('y', b.add(values.at(-1)!, b.load('x', across(counters))), own(counters));
      };
      const nest = (k: number, counters: readonly Value[], early: readonly Value[]): void => {
        if (k === lengths.length) return body(counters, early);
        const said = k === 0 ? { parallel: true } : pick([{ simd: true }, { simd: true }, { independent: true }, {}]);
        const [from, to] = bounds[k]!;
        b.for(from, to, one, said, [], (c) => {
          const more = choose(2) === 0 ? [b.add(c, m), b.mul(pick([c, ...counters]), b.i32(5))] : [];
          nest(k + 1, [...counters, c], [...early, ...more]);
        });
      };
      nest(0, [], []);
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): Int32Array => {
  const x = Int32Array.from({ length: SIZE }, (_, k) => (k * 7919) % 1009);
  const y = Int32Array.from({ length: SIZE }, (_, k) => k % 13);
  const result = interpret(module, coreDialects, { x, y }, { kernel: 'nest', args: [m] });
  if (E.isLeft(result)) throw new Error(result.left.map((d) => d.message).join());
  return y;
};

it('loops that go across each other do the same in tiles', () => {
  let [taken, left] = [0, 0];
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }), fc.nat(6), (choices, m) => {
      const before = randomNest(choices);
      const made = applied(tile(), before);
      expect(verifyModule(made, coreDialects)).toEqual([]);
      if (loopsIn(made) > loopsIn(before)) taken++;
      else left++;
      expect(after(made, m)).toEqual(after(before, m));
    }),
    { numRuns: 150 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(taken).toBeGreaterThan(3);
  expect(left).toBeGreaterThan(3);
});
