import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { describe, expect, it } from 'vitest';
import {
  buildKernel,
  constBuffer,
  coreDialects,
  declareBuffer,
  interpret,
  makeModule,
  verifyModule,
  walk,
  type Module,
  type Value,
} from '@filigree/ir';
import { factorScales } from '@filigree/opt';

const CODES = [3, -5, 7, 0, 2, -1];
const FACTORS = [0.5, 0.25, -0.5];

/** Codes with factors, and what may be computed from them, all exact; what nothing uses is stored. */
const random = (choices: readonly number[]): Module => {
  const buffers = [
    constBuffer('codes', 'i32', CODES),
    constBuffer('weights', 'f64', [0.5, -2]),
    declareBuffer('y', 'f64', 2 * choices.length + CODES.length, 'output'),
  ];
  const kernel = buildKernel(
    'f',
    {},
    (b) => {
      const weights = [0, 1].map((k) => b.load('weights', b.i32(k)));
      const values: Value[] = CODES.map((_, k) =>
        b.mul(b.cast(b.load('codes', b.i32(k)), 'f64'), b.f64(FACTORS[choices[k % choices.length]! % 3]!)),
      );
      const used = new Set<Value>();
      const take = (at: number): Value => {
        const value = values[values.length - 1 - (at % Math.min(values.length, 8))]!;
        used.add(value);
        return value;
      };
      for (const c of choices) {
        const [kind, left, right] = [c % 7, Math.floor(c / 7) % 997, Math.floor(c / 6979)];
        const [x, y] = [take(left), take(right)];
        if (kind < 2) values.push((kind === 0 ? b.add : b.sub)(x, y));
        else if (kind === 2) values.push(b.mul(x, weights[right % 2]!));
        else if (kind === 3) values.push(b.neg(x));
        else if (kind === 4) values.push(b.select(b.cmp('lt', x, y), y, x));
        else values.push((kind === 5 ? b.min : b.max)(x, y));
      }
      let at = 0;
      for (const v of values) if (!used.has(v)) b.store('y', v, b.i32(at++));
    },
    buffers,
  );
  return makeModule('codes', buffers, [kernel]);
};

/** What is stored; zeros have no sign. */
const results = (module: Module): readonly number[] => {
  const y = new Float64Array(module.buffers[2]!.length);
  expect(E.isRight(interpret(module, coreDialects, { y }))).toBe(true);
  return Array.from(y, (x) => x + 0);
};

const products = (module: Module): number => {
  let count = 0;
  walk(module.kernels[0]!.body, (op) => {
    if (op.name === 'arith.mul') count++;
  });
  return count;
};

describe('factors of integers', () => {
  it('are taken out of what is computed from these, which stays the same with fewer products', () => {
    let [tried, changed] = [0, 0];
    fc.assert(
      fc.property(fc.array(fc.nat(6979 * 997), { minLength: 4, maxLength: 40 }), (choices) => {
        tried++;
        const before = random(choices);
        const result = factorScales().run(before);
        if (E.isLeft(result)) throw new Error(result.left[0]!.message);
        const after = result.right;
        expect(verifyModule(after, coreDialects)).toEqual([]);
        expect(results(after)).toEqual(results(before));
        if (after === before) return;
        changed++;
        expect(products(after)).toBeLessThan(products(before));
      }),
      { numRuns: 200 },
    );
    expect(changed / tried).toBeGreaterThan(0.1);
  });
});
