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
import { canonicalize, cse, holdElements, licm } from '@filigree/opt';
import { applied } from './applied.js';
import { chooser, picker } from './chooser.js';
import { handing } from './loops-in.js';

const buffers: readonly Buffer[] = [declareBuffer('x', 'i32', 64, 'inout'), declareBuffer('y', 'i32', 64, 'inout')];

/** Nests of three loops over triangles and squares, which change elements of rows by others of the same rows, at times under a condition. */
const randomNest = (choices: readonly number[]): Module => {
  const choose = chooser(choices);
  const pick = picker(choose);
  const nest = (b: Builder, m: Value): void => {
    const [zero, one, two, seven, eight] = [0, 1, 2, 7, 8].map(b.i32) as [Value, Value, Value, Value, Value];
    const at = (row: Value, column: Value): Value => b.add(b.mul(row, eight), column);
    b.for(zero, eight, one, {}, [], (i) => {
      b.for(pick([zero, zero, i]), pick([i, eight, seven]), pick([one, one, two]), {}, [], (j) => {
        const ends: [Value, Value][] = [
          [zero, j],
          [zero, i],
          [j, i],
          [one, b.sub(j, one)],
          [b.add(j, one), eight],
          [b.add(i, one), seven],
          [zero, m],
          [zero, pick([zero, two, eight])],
        ];
        const [from, to] = pick(ends);
        const buffer = pick(['x', 'x', 'x', 'y']);
        const own = pick([at(i, j), at(j, i), at(j, j)]);
        b.for(from, to, one, {}, [], (k) => {
          const others = [at(i, k), at(k, j), at(j, k), at(k, k), at(i, j), b.add(at(i, k), m)];
          const element = b.load(buffer, own);
          const values = [element, k, b.load(pick(['x', 'x', 'y']), pick(others.slice(0, 4)))];
          if (choose(3) === 0) values.push(b.load('x', pick(others)));
          if (choose(8) === 0) b.store('x', pick(values), pick(others));
          const next = b.add(b.mul(element, pick(values)), pick(values));
          if (choose(8) === 0)
            b.if(b.cmp('lt', k, two), () => {
              b.store(buffer, next, own);
              return [];
            });
          else b.store(buffer, next, own);
          if (choose(4) === 0) b.store(buffer, b.add(b.load(buffer, own), k), own);
          return [];
        });
        return [];
      });
      return [];
    });
  };
  const kernel = buildKernel('nest', { m: 'i32' }, (b, { m }) => nest(b, m), buffers);
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, m: number): readonly Int32Array[] | undefined => {
  const x = Int32Array.from({ length: 64 }, (_, k) => ((k * 7 + m) % 5) - 2);
  const y = Int32Array.from({ length: 64 }, (_, k) => (k * k + 3) % 11);
  return E.isRight(interpret(module, coreDialects, { x, y }, { kernel: 'nest', args: [m] })) ? [x, y] : undefined;
};

it('elements that a loop holds are what it would read and write', () => {
  let [held, left] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(fc.nat(1 << 20), { minLength: 20, maxLength: 60 }),
      fc.integer({ min: -2, max: 6 }),
      (choices, m) => {
        const before = randomNest(choices);
        expect(verifyModule(before, coreDialects)).toEqual([]);
        const expected = after(before, m);
        fc.pre(expected !== undefined);
        const start = [canonicalize(), cse(), licm()].reduce((module, pass) => applied(pass, module), before);
        const made = applied(holdElements(), start);
        expect(verifyModule(made, coreDialects)).toEqual([]);
        if (handing(made) > handing(start)) held++;
        else left++;
        expect(after(made, m)).toEqual(expected);
      },
    ),
    { numRuns: 600 },
  );
  /* Of a fifth of them, which CI tries, too. */
  expect(held).toBeGreaterThan(20);
  expect(left).toBeGreaterThan(20);
});
