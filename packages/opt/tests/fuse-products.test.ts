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
import { fuseProducts } from '@filigree/opt';

const COUNT = 8;

/** Sums and differences of products of small whole numbers, whose values are exact in any order; what nothing uses is stored. */
const random = (choices: readonly number[]): Module => {
  const inputs = Array.from({ length: COUNT }, (_, k) => ((7 * k + choices[0]!) % 9) - 4);
  const buffers = [constBuffer('x', 'f64', inputs), declareBuffer('y', 'f64', 2 * choices.length, 'output')];
  const kernel = buildKernel(
    'f',
    {},
    (b) => {
      const loaded = inputs.map((_, k) => b.load('x', b.i32(k)));
      const values: Value[] = [...loaded];
      const used = new Set<Value>(loaded);
      const take = (from: readonly Value[], at: number): Value => {
        const value = from[from.length - 1 - (at % Math.min(from.length, 12))]!;
        used.add(value);
        return value;
      };
      for (const c of choices) {
        const [kind, left, right] = [c % 5, Math.floor(c / 5) % 997, Math.floor(c / 4985)];
        if (kind < 3) values.push(b.mul(take(loaded, left), take(loaded, right)));
        else values.push((kind === 3 ? b.add : b.sub)(take(values, left), take(values, right)));
      }
      let at = 0;
      for (const v of values) if (!used.has(v)) b.store('y', v, b.i32(at++));
    },
    buffers,
  );
  return makeModule('sums', buffers, [kernel]);
};

/** What is stored; zeros have no sign, as sums in another order have another one. */
const results = (module: Module): readonly number[] => {
  const y = new Float64Array(module.buffers[1]!.length);
  expect(E.isRight(interpret(module, coreDialects, { y }))).toBe(true);
  return Array.from(y, (x) => x + 0);
};

const fused = (module: Module, registers: number): Module => {
  const result = fuseProducts({ registers }).run(module);
  if (E.isLeft(result)) throw new Error(result.left[0]!.message);
  return result.right;
};

/** Ops on floats; changing a sign belongs to the op that multiplies. */
const work = (module: Module, of = ['arith.add', 'arith.sub', 'arith.mul', 'math.fma']): number => {
  let count = 0;
  walk(module.kernels[0]!.body, (op) => {
    if (of.includes(op.name)) count++;
  });
  return count;
};

const sums = fc.array(fc.nat(4985 * 997), { minLength: 5, maxLength: 120 });

describe('products that sums share', () => {
  it('are done in each of them: the values stay the same, and hardly an op more is needed', () => {
    let tried = 0;
    let changed = 0;
    fc.assert(
      fc.property(sums, (choices) => {
        tried++;
        const before = random(choices);
        const after = fused(before, 0);
        if (after !== before) changed++;
        expect(verifyModule(after, coreDialects)).toEqual([]);
        expect(results(after)).toEqual(results(before));
        /* But for the product that a sum of nothing else begins with. */
        expect(work(after) - work(after, ['arith.mul'])).toBeLessThanOrEqual(work(before));
      }),
      { numRuns: 200 },
    );
    expect(changed).toBeGreaterThan(tried / 4);
  });

  it('are kept where registers suffice', () =>
    fc.assert(
      fc.property(sums, (choices) => {
        const before = random(choices);
        expect(fused(before, 200)).toBe(before);
      }),
      { numRuns: 30 },
    ));
});
