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
import { canonicalize, cse, dce, integerRange, licm, partition, vectorize } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { loopsIn } from './loops-in.js';

const SIZE = 40;
/* Two more elements: what is read, and what is written, out of bounds. */
const buffers: readonly Buffer[] = [
  declareBuffer('x', 'i32', SIZE + 2, 'input'),
  declareBuffer('y', 'i32', SIZE + 2, 'inout'),
];

/** An index within bounds, or `SIZE + beyond`: as fields clamp theirs, by numbers with a sign or without. */
const guarded = (b: Builder, index: Value, beyond: number, unsigned: boolean): Value => {
  if (unsigned) {
    const least = b.cast(b.min(b.cast(index, 'u32'), b.constant(SIZE, 'u32')), 'i32');
    return b.select(b.cmp('ge', least, b.i32(SIZE)), b.i32(SIZE + beyond), least);
  }
  const clamped = b.min(b.max(index, b.i32(0)), b.i32(SIZE - 1));
  return b.select(b.cmp('eq', clamped, index), clamped, b.i32(SIZE + beyond));
};

/** A loop from `from` to `to`, or over numbers near 0, that reads and writes at sums of its counter, `p`, `q` and numbers. */
const randomLoop = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const kernel = buildKernel(
    'loop',
    { from: 'i32', to: 'i32', n: 'i32', p: 'i32', q: 'i32' },
    (b, { from, to, n, p, q }) => {
      const sum = (counted: Value): Value => {
        /* Of what is clamped already, too. */
        const i = pick([
          () => counted,
          () => counted,
          () => b.min(counted, b.i32(choose(SIZE))),
          () => b.max(b.min(b.add(counted, p), b.i32(choose(SIZE))), b.i32(0 - choose(8))),
          () => b.cast(b.min(b.cast(b.sub(counted, q), 'u32'), b.constant(choose(SIZE), 'u32')), 'i32'),
        ])();
        const number = b.i32(pick([0, 1, -1, 3, SIZE - 1]));
        return pick([
          () => b.add(i, p),
          () => b.sub(i, p),
          () => b.sub(p, i),
          () => b.neg(i),
          () => b.add(i, number),
          () => b.sub(number, i),
          () => b.add(b.sub(i, p), number),
          () => b.sub(b.neg(i), p),
          () => b.sub(b.add(i, p), q),
          () => b.add(b.sub(q, b.add(i, number)), p),
          () => b.sub(b.neg(b.sub(i, q)), b.i32(-2147483648)),
        ])();
      };
      const [lower, upper] = pick([
        [from, to],
        [b.i32(0), b.i32(SIZE)],
        [b.i32(0), n],
        [b.i32(-SIZE + 1), b.sub(b.i32(1), n)],
      ]);
      const clamps = 1 + choose(3);
      const hasSum = choose(2) === 0;
      const [total] = b.for(lower, upper, b.i32(1), {}, hasSum ? [b.i32(0)] : [], (i, carried) => {
        let read = b.i32(1);
        for (let k = 0; k < clamps; k++) {
          const index = sum(i);
          const at = pick([
            () => guarded(b, index, 0, false),
            () => guarded(b, index, 0, true),
            () => b.max(b.min(index, b.i32(SIZE)), b.i32(choose(3))),
          ])();
          read = b.add(b.mul(read, b.i32(3)), b.load('x', at));
          if (choose(4) === 0) read = b.add(read, b.cast(b.cmp('lt', index, at), 'i32'));
        }
        if (choose(4) === 0) read = b.add(read, b.load('y', guarded(b, sum(i), 0, choose(2) === 0)));
        b.store('y', read, guarded(b, pick([() => i, () => b.neg(i), () => sum(i)])(), 1, choose(2) === 0));
        return carried.map((c) => b.add(c, read));
      });
      if (total) b.store('y', total, b.i32(SIZE));
    },
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, args: readonly number[]): Int32Array => {
  const x = Int32Array.from({ length: SIZE + 2 }, (_, k) => (k * 37) % 101);
  const y = Int32Array.from({ length: SIZE + 2 }, (_, k) => -k);
  const result = interpret(module, coreDialects, { x, y }, { kernel: 'loop', args: [...args] });
  if (E.isLeft(result)) throw new Error(result.left.map((d) => d.message).join());
  return y;
};

const LEAST = -(2 ** 31);
const MOST = 2 ** 31 - 1;

/** A number in range, half in range, far out, or next to an end of the type. */
const offset = fc.oneof(
  fc.integer({ min: -2 * SIZE, max: 2 * SIZE }),
  fc.nat(2 * SIZE).map((n) => LEAST + n),
  fc.nat(2 * SIZE).map((n) => MOST - n),
  fc.integer(),
);

it('loops over indices of any offset come out the same where their clamps are left out', () => {
  let [parted, simpler] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }),
      fc.tuple(offset, offset, offset),
      fc.nat(60),
      (choices, [from, p, q], length) => {
        const args = [from, Math.min(from + length, MOST), length, p, q];
        const before = randomLoop(choices);
        const expected = after(before, args);
        const made = applied(partition(), before);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (loopsIn(made) > loopsIn(before)) parted++;
        expect(after(made, args)).toEqual(expected);
        const simple = [integerRange(), canonicalize(), cse(), licm(), dce(), vectorize()].reduce(
          (module, pass) => applied(pass, module),
          made,
        );
        if (loopsIn(simple) > loopsIn(before)) simpler++;
        expect(after(simple, args)).toEqual(expected);
      },
    ),
    { numRuns: 500 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(parted).toBeGreaterThan(40);
  expect(simpler).toBeGreaterThan(20);
});
