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
import { canonicalize, cse, joinRows, licm, vectorize } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { loopsIn } from './loops-in.js';

const buffers: readonly Buffer[] = [
  declareBuffer('x', 'f64', 256, 'inout'),
  declareBuffer('y', 'f64', 256, 'input'),
  declareBuffer('w', 'i32', 16, 'input'),
];

/** Rows of a few columns, of which each element is changed by itself and by others that are only read, mostly at places that go on evenly. */
const randomRows = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const rows = (b: Builder, n: Value): void => {
    const columns = pick([2, 3, 3, 4, 5]);
    const pitch = pick([columns, columns, columns, columns + 1]);
    const [zero, one] = [b.i32(0), b.i32(1)];
    b.for(zero, b.i32(2), one, { parallel: true }, [], (i) => {
      const plane = b.mul(i, b.i32(100));
      const from = b.i32(choose(2));
      const to = pick([b.i32(7), b.i32(9), b.add(n, b.i32(3)), b.i32(0)]);
      b.for(from, to, one, { independent: true }, [], (j) => {
        const early = choose(3) === 0 ? b.load('y', pick([zero, i])) : undefined;
        b.for(pick([zero, zero, zero, zero, one]), b.i32(columns), one, {}, [], (c) => {
          const at = (offset: number): Value => {
            const row = b.mul(choose(4) === 0 ? b.add(j, one) : j, b.i32(pitch));
            return b.add(b.add(b.add(row, c), plane), b.i32(offset));
          };
          const own = b.add(b.add(b.add(b.mul(j, b.i32(pitch)), c), plane), b.i32(2));
          const values: Value[] = [b.load('x', own), b.load('y', at(choose(8))), b.load('y', pick([zero, i]))];
          if (early) values.push(early);
          if (choose(3) === 0) values.push(b.load('y', b.add(c, b.mul(j, b.i32(pick([columns, 1]))))));
          if (choose(6) === 0) values.push(b.cast(c, 'f64'));
          if (choose(6) === 0) values.push(b.cast(b.load('w', c), 'f64'));
          const sum = values.slice(1).reduce((s, v) => b.add(b.mul(s, v), pick(values)), values[0]!);
          b.store('x', sum, own);
          if (choose(3) === 0) b.store('x', b.load('y', at(1)), b.add(own, b.i32(50)));
          return [];
        });
        return [];
      });
      return [];
    });
  };
  const kernel = buildKernel('rows', { n: 'i32' }, (b, { n }) => rows(b, n!), buffers);
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, n: number): Float64Array | undefined => {
  const x = Float64Array.from({ length: 256 }, (_, k) => ((k * 7 + n) % 5) - 2);
  const y = Float64Array.from({ length: 256 }, (_, k) => ((k * k + 3) % 3) - 1);
  const w = Int32Array.from({ length: 16 }, (_, k) => k % 4);
  return E.isRight(interpret(module, coreDialects, { x, y, w }, { kernel: 'rows', args: [n] })) ? x : undefined;
};

it('rows of few columns are what they are as one loop, on lanes too', () => {
  let [joined, left] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }),
      fc.integer({ min: -4, max: 6 }),
      (choices, n) => {
        const before = randomRows(choices);
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = after(before, n);
        fc.pre(expected !== undefined);
        const start = [canonicalize(), cse(), licm()].reduce((module, pass) => applied(pass, module), before);
        const made = applied(joinRows(), start);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (loopsIn(made) < loopsIn(start)) joined++;
        else left++;
        expect(after(made, n)).toEqual(expected);
        expect(after(applied(vectorize({ bytes: 32 }), made), n)).toEqual(expected);
      },
    ),
    { numRuns: 400, seed: 11 },
  );
  expect(joined).toBeGreaterThan(0);
  expect(left).toBeGreaterThan(0);
});
