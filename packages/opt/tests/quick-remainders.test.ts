import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { expect, it } from 'vitest';
import { buildKernel, coreDialects, declareBuffer, interpret, makeModule, walk, type Module } from '@filigree/ir';
import { quickRemainders } from '@filigree/opt';
import { applied } from './applied.js';

const remaindersOf = (type: 'f32' | 'f64', divisor: number): Module => {
  const buffers = [declareBuffer('x', type, 16, 'input'), declareBuffer('r', type, 16, 'output')];
  const kernel = buildKernel(
    'rest',
    {},
    (b) =>
      b.for(b.i32(0), b.i32(16), b.i32(1), {}, [], (k) => {
        b.store('r', b.rem(b.load('x', k), b.constant(divisor, type)), k);
      }),
    buffers,
  );
  return makeModule('m', buffers, [kernel]);
};

const after = (module: Module, values: readonly number[], type: 'f32' | 'f64'): readonly number[] => {
  const of = type === 'f32' ? Float32Array : Float64Array;
  const [x, r] = [of.from(values), new of(16)];
  const ran = interpret(module, coreDialects, { x, r });
  return E.isRight(ran) ? [...r] : [];
};

const divides = (module: Module): boolean => {
  let found = false;
  walk(module.kernels[0]!.body, ({ name }) => void (found ||= name === 'arith.rem'));
  return found;
};

const ODD = [0, -0, 1, -1, 0.5, -2.5, 3e38, -3e38, 1e-42, -1e-42, Infinity, -Infinity, NaN];

it('what is left of a quotient by a power of two is the remainder, to the sign of zero', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('f32' as const, 'f64' as const),
      fc.integer({ min: 0, max: 64 }),
      fc.boolean(),
      fc.array(fc.oneof(fc.double(), fc.float(), fc.constantFrom(...ODD), fc.integer()), {
        minLength: 16,
        maxLength: 16,
      }),
      (type, power, isNegative, values) => {
        const before = remaindersOf(type, (isNegative ? -1 : 1) * 2 ** power);
        const made = applied(quickRemainders(), before);
        expect(divides(made)).toBe(false);
        expect(after(made, values, type)).toEqual(after(before, values, type));
        /* Zeros may lose their sign. */
        const fast = after(applied(quickRemainders({ fastMath: true }), before), values, type);
        expect(fast.map((v) => v + 0)).toEqual(after(before, values, type).map((v) => v + 0));
      },
    ),
  );
});

it.each([0.5, 3, 0, NaN, 2 ** 65])('by %d it stays', (divisor) => {
  expect(divides(applied(quickRemainders(), remaindersOf('f64', divisor)))).toBe(true);
});
