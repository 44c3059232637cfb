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
import { markChoices, vectorize } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { loopsIn } from './loops-in.js';

const buffers: readonly Buffer[] = [
  declareBuffer('x', 'f32', 96, 'input'),
  declareBuffer('n', 'i32', 96, 'input'),
  declareBuffer('numbers', 'f32', 4, 'inout'),
  declareBuffer('integers', 'i32', 4, 'inout'),
];

/** A loop that keeps what goes with the least or greatest of what it computes, under conditions, two of them at times, and a sum beside. */
const randomChoices = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const rarely = (): boolean => choose(5) === 0;
  const loop = (b: Builder, m: Value): void => {
    const [zero, one, two] = [0, 1, 2].map(b.i32) as [Value, Value, Value];
    const start = pick([NaN, -Infinity, 0, -0, 2, Infinity]);
    const inits = [b.f32(start), b.i32(choose(50)), b.i32(choose(2) * 70), b.bool(choose(2) === 0), b.i32(choose(9))];
    const [wants, both] = [choose(2), choose(2) === 0];
    const counted = pick(['gt', 'ge', 'lt', 'le'] as const);
    const strict = pick(['gt', 'ge', 'lt', 'le'] as const);
    const [swaps, wholly] = [choose(2) === 0, choose(2) === 0];
    const stride = pick([one, one, two]);
    const place = (k: Value): Value => b.add(b.mul(k, stride), pick([zero, one]));
    const results = b.for(
      pick([zero, two]),
      pick([m, b.i32(40)]),
      one,
      pick([{}, { trips: 256 }]),
      [...inits, b.i32(1)],
      (k, [best, where, other, flag, least, sum]) => {
        const v = b.load('x', place(k));
        const n = b.load('n', place(k));
        const test = swaps ? b.cmp(counted, best!, v) : b.cmp(counted, v, best!);
        const holds =
          wants === 0 ? test : b.and(pick([() => b.cmp('ne', n, two), () => b.cmp('gt', n, b.load('n', k))])(), test);
        const fewer = b.cmp(strict, n, least!);
        return [
          b.select(holds, rarely() ? b.add(v, b.f32(1)) : v, best!),
          b.select(holds, pick([k, k, n]), where!),
          both ? b.select(holds, b.add(k, two), other!) : b.select(fewer, k, other!),
          b.select(holds, b.cmp('lt', n, two), flag!),
          wholly ? (strict.startsWith('g') ? b.max(n, least!) : b.min(least!, n)) : b.select(fewer, n, least!),
          b.add(sum!, rarely() ? pick([() => b.cast(holds, 'i32'), () => where!, () => b.cast(best!, 'i32')])() : n),
        ];
      },
    );
    const [best, where, other, flag, least, sum] = results as [Value, Value, Value, Value, Value, Value];
    b.store('numbers', best, zero);
    [where, other, b.add(b.cast(flag, 'i32'), b.mul(two, least)), sum].forEach((v, k) =>
      b.store('integers', v, b.i32(k)),
    );
  };
  const kernel = buildKernel('choices', { m: 'i32' }, (b, { m }) => loop(b, m), buffers);
  return makeModule('m', buffers, [kernel]);
};

/* Few numbers, so that many are equal; among them zeros of either sign, and none at all. */
const FLOATS = [0, -0, 1, -1, 2, NaN, Infinity];

const after = (module: Module, m: number, seed: number): unknown => {
  const x = Float32Array.from({ length: 96 }, (_, k) => FLOATS[(k * k * 5 + k * seed + m) % (seed % 2 === 0 ? 5 : 7)]!);
  const n = Int32Array.from({ length: 96 }, (_, k) => ((k + seed) * (k + 3)) % 7);
  const [numbers, integers] = [new Float32Array(4), new Int32Array(4)];
  const ran = interpret(module, coreDialects, { x, n, numbers, integers }, { kernel: 'choices', args: [m] });
  return E.isRight(ran) ? [...numbers, ...integers] : ran.left.map((d) => d.message);
};

it('lanes keep what goes with the least and greatest as iterations in a row do', () => {
  let [marked, onLanes] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 12, maxLength: 40 }),
      fc.nat(45),
      fc.nat(1000),
      (choices, m, seed) => {
        const before = randomChoices(choices);
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = after(before, m, seed);
        const said = applied(markChoices(), before);
        if (said !== before) marked++;
        for (const bytes of [16, 64]) {
          const made = applied(vectorize({ bytes }), said);
          expect(verifyModule(made, coreDialects)).toEqual([]);
          if (loopsIn(made) > loopsIn(said)) onLanes++;
          expect(after(made, m, seed)).toEqual(expected);
        }
      },
    ),
    { numRuns: 800 },
  );
  expect(marked).toBeGreaterThan(40);
  expect(onLanes).toBeGreaterThan(60);
});
