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
import { canonicalize, carryStores, cse } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { handing } from './loops-in.js';

const buffers: readonly Buffer[] = [declareBuffer('x', 'i32', 96, 'inout'), declareBuffer('y', 'i32', 96, 'inout')];

/** A loop in a loop that stores and reads what it stored some iterations ago, beside other stores, some of vectors, up or down and in steps. */
const randomRecurrence = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const recurrence = (b: Builder, n: Value): void => {
    const lanes = pick([1, 1, 1, 2]);
    const factor = pick([1, 1, 2, 3, -1]);
    const step = b.i32(pick([1, 1, 2]));
    b.for(b.i32(0), b.i32(2), b.i32(1), {}, [], (row) => {
      const end = pick([b.i32(8), b.i32(5), b.i32(3), n]);
      b.for(b.i32(choose(4)), end, step, {}, [], (i) => {
        const at = (offset: number): Value =>
          b.add(b.add(b.mul(i, b.i32(factor)), b.mul(row, b.i32(pick([8, 8, 8, 0])))), b.i32(32 + offset));
        const load = (buffer: string, index: Value): Value =>
          lanes === 1 ? b.load(buffer, index) : b.load(buffer, index, lanes);
        const values: Value[] = [lanes === 1 ? i : b.splat(i, lanes), load('x', at(choose(9) - 6))];
        const count = 1 + choose(3);
        for (let k = 0; k < count; k++) {
          if (choose(2) === 0) values.push(load(pick(['x', 'x', 'y']), at(choose(9) - 6)));
          values.push(b.add(b.mul(pick(values), lanes === 1 ? b.i32(3) : b.splat(b.i32(3), lanes)), pick(values)));
          b.store(pick(['x', 'x', 'y']), values.at(-1)!, at(pick([0, 0, 0, choose(9) - 4, 40])));
        }
        if (choose(5) === 0) b.store('x', b.splat(i, 2), at(choose(9) - 4));
        if (choose(6) === 0)
          b.if(b.cmp('lt', i, b.i32(3)), () => {
            b.store('y', b.i32(7), at(0));
            return [];
          });
        return [];
      });
      return [];
    });
  };
  const kernel = buildKernel('recurrence', { n: 'i32' }, (b, { n }) => recurrence(b, n), buffers);
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, n: number): readonly Int32Array[] | undefined => {
  const x = Int32Array.from({ length: 96 }, (_, k) => ((k * 7 + n) % 5) - 2);
  const y = Int32Array.from({ length: 96 }, (_, k) => (k * k + 3) % 11);
  return E.isRight(interpret(module, coreDialects, { x, y }, { kernel: 'recurrence', args: [n] })) ? [x, y] : undefined;
};

it('what loops carry of what they have stored is what they would read', () => {
  let [carried, left] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }),
      fc.integer({ min: -2, max: 8 }),
      (choices, n) => {
        const before = randomRecurrence(choices);
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = after(before, n);
        fc.pre(expected !== undefined);
        const start = [canonicalize(), cse()].reduce((module, pass) => applied(pass, module), before);
        const made = applied(carryStores(), start);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (handing(made) > handing(start)) carried++;
        else left++;
        expect(after(made, n)).toEqual(expected);
        expect(after(applied(carryStores(), made), n)).toEqual(expected);
      },
    ),
    { numRuns: 500, seed: 7 },
  );
  expect(carried).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(0);
});
