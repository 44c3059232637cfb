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
  type Module,
  type Value,
} from '@filigree/ir';
import { canonicalize, dce, integerRange, partition } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { loopsIn } from './loops-in.js';

const SIZE = 64;
const buffers: readonly Buffer[] = [declareBuffer('x', 'i32', SIZE, 'input'), declareBuffer('y', 'i32', SIZE, 'inout')];

/** Filters: for each element, a loop over taps of which some are outside. */
const randomFilter = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const kernel = buildKernel(
    'filter',
    { m: 'i32' },
    (b, { m }) => {
      const number = (n: number): Value => b.i32(n);
      const [zero, one] = [number(0), number(1)];
      const trips = pick([8, 20, 40, SIZE]);
      const first = pick([0, 0, 2]);
      const [from, to] = [number(first), pick([number(first + trips), number(Math.min(SIZE, first + trips)), m])];
      b.for(from, to, one, pick([{ simd: true }, { simd: true, parallel: true }]), [], (i) => {
        const taps = pick([
          [number(-2), number(3)],
          [zero, number(5)],
          [zero, number(12)],
          [number(-1), m],
        ] as const);
        const [sum] = b.for(taps[0], taps[1], one, {}, [zero], (q, [s]) => {
          const t = pick([
            b.add(i, q),
            b.sub(i, q),
            b.add(b.add(q, i), number(choose(5) - 2)),
            b.add(i, b.mul(q, number(2))),
          ]);
          const end = number(SIZE - choose(4));
          const compare = (): Value =>
            pick([
              () => b.cmp(pick(['ge', 'gt']), t, pick([zero, one, number(-1)])),
              () => b.cmp(pick(['lt', 'le', 'ge', 'gt']), t, end),
              () => b.cmp('lt', t, zero),
              () => b.cmp('gt', number(trips - 1), t),
              () => b.cmp(pick(['lt', 'ge', 'eq']), q, one),
            ])();
          const length = pick([SIZE, SIZE, 40]);
          const index = pick([
            () => b.max(b.min(t, number(SIZE - 1)), zero),
            () => b.rem(b.max(b.add(t, number(length * choose(3))), zero), number(length)),
            () => b.and(b.add(t, number(SIZE)), number(SIZE - 1)),
            () => b.max(b.rem(b.add(t, number(length)), number(length)), zero),
          ])();
          const joined = pick([() => b.and(compare(), compare()), () => b.or(compare(), compare()), compare])();
          if (choose(3) === 0) return [b.add(s!, b.select(joined, b.load('x', index), one))];
          const [next] = b.if(
            joined,
            () => [b.add(s!, b.load('x', index))],
            () => [choose(2) === 0 ? s! : b.add(s!, number(3))],
          );
          return [pick([next!, b.add(next!, b.max(t, zero))])];
        });
        b.store('y', sum!, b.rem(b.max(i, zero), number(SIZE)));
      });
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): Int32Array => {
  const x = Int32Array.from({ length: SIZE }, (_, k) => (k * 37) % 101);
  const y = Int32Array.from({ length: SIZE }, (_, k) => -k);
  const result = interpret(module, coreDialects, { x, y }, { kernel: 'filter', args: [m] });
  if (E.isLeft(result)) throw new Error(result.left.map((d) => d.message).join());
  return y;
};

it('filters come out the same where their edges are apart', () => {
  let parted = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }), fc.nat(40), (choices, m) => {
      const before = randomFilter(choices);
      const expected = after(before, m);
      const made = applied(partition({ nests: true }), before);
      expect(verifyModule(made, coreDialects)).toEqual([]);
      if (loopsIn(made) > loopsIn(before)) parted++;
      expect(after(made, m)).toEqual(expected);
      const simple = [integerRange(), canonicalize(), dce()].reduce((module, pass) => applied(pass, module), made);
      expect(after(simple, m)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(parted).toBeGreaterThan(5);
});
