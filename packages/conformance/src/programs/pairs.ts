import { type Builder, type Buffer, type Value, buildKernel, declareBuffer, makeModule, orThrow } from '@filigree/ir';
import { privatize } from '@filigree/opt';
import type { Program } from '../program.js';

/**
 * Doubles in registers, and in memory on the way from one to another, of numbers that are exact in 48 bits: what is right to the last bit where they are pairs of singles too, and wrong where the second half is
 * lost.
 */
export const pairPrograms = (): readonly Program[] => [
  long('a sum in doubles of singles', (b, sum, x) => b.add(sum, x)),
  long('a sum of squares in doubles of singles', (b, sum, x) => b.add(sum, b.mul(x, x))),
  long('fused squares in doubles of singles', (b, sum, x) => b.value('math.fma', [x, x, sum])),
  long('differences in doubles of singles', (b, sum, x, k) =>
    b.sub(b.add(sum, b.mul(x, b.f64(2 ** 20 + 1))), b.neg(b.cast(b.mul(k, b.i32(-1_234_577)), 'f64'))),
  ),
  long('a sum in doubles where it is small, or is cut', (b, sum, x) => {
    const next = b.add(sum, x);
    const [kept] = b.if(
      b.cmp('lt', next, b.f64(2 ** 26 + 1)),
      () => [next],
      () => [b.sub(next, b.f64(2 ** 26 - 1))],
    );
    return b.select(b.cmp('eq', kept!, b.f64(2 ** 25 + 1)), b.f64(3), kept!);
  }),
  trees(),
];

const n = 300;
const rows = 40;

/*
 * Each row of `x` is gone through by one iteration, which stores its sum as two singles: the nearest one, and what is missing, so that all bits of
 * it are seen.
 */
const long = (name: string, next: (b: Builder, sum: Value, x: Value, k: Value) => Value): Program => {
  const buffers: readonly Buffer[] = [
    declareBuffer('x', 'f32', n * rows, 'input'),
    declareBuffer('high', 'f32', rows, 'output'),
    declareBuffer('low', 'f32', rows, 'output'),
  ];
  const kernel = buildKernel(
    'sums',
    {},
    (b) =>
      void b.for(b.i32(0), b.i32(rows), b.i32(1), { parallel: true }, [], (row) => {
        const [sum] = b.for(b.i32(0), b.i32(n), b.i32(1), {}, [b.f64(0)], (k, [before]) => [
          next(b, before!, b.cast(b.load('x', b.add(b.mul(row, b.i32(n)), k)), 'f64'), k),
        ]);
        const high = b.cast(sum!, 'f32');
        b.store('high', high, row);
        b.store('low', b.cast(b.sub(sum!, b.cast(high, 'f64')), 'f32'), row);
      }),
    buffers,
  );
  /* Whole numbers up to 2²⁰, of which squares have 40 bits, and few sums fit into 24. */
  const x = Float32Array.from({ length: n * rows }, (_, k) => ((k * 7919) % 1_048_573) - (k % 3 === 0 ? 400_000 : 0));
  return { name, module: makeModule('pairs', buffers, [kernel]), inputs: { x }, pairs: true };
};

const tiles = 150;
const wide = 48;

/** Sums and extremes that teams find without atomics: of a plain loop, and of loops for teams within one. The host reads doubles. */
const trees = (): Program => {
  const buffers: readonly Buffer[] = [
    declareBuffer('x', 'f32', tiles * wide, 'input'),
    ...['squares', 'most', 'odd'].map((name) => declareBuffer(name, 'f64', 1, 'inout')),
  ];
  const kernel = buildKernel(
    'trees',
    {},
    (b) => {
      const double = (k: Value): Value => b.cast(b.load('x', k), 'f64');
      const [zero, one] = [b.i32(0), b.i32(1)];
      b.for(zero, b.i32(tiles * wide), one, { parallel: true }, [], (k) => {
        b.atomic('squares', 'add', b.mul(double(k), double(k)), zero);
        b.atomic('most', 'max', b.mul(double(k), b.f64(2 ** 20 + 1)), zero);
      });
      b.for(
        one,
        b.i32(tiles),
        one,
        { parallel: true },
        [],
        (tile) =>
          void b.for(
            zero,
            b.i32(wide),
            one,
            { team: true },
            [],
            (k) =>
              void b.if(b.cmp('eq', b.and(k, one), one), () => {
                const value = double(b.add(b.mul(tile, b.i32(wide)), k));
                b.atomic('odd', 'add', b.mul(value, b.f64(2 ** 20 + 1)), zero);
              }),
          ),
      );
    },
    buffers,
  );
  const x = Float32Array.from({ length: tiles * wide }, (_, k) => ((k * 7919) % 16_381) - (k % 3 === 0 ? 4000 : 0));
  return {
    name: 'sums and extremes in doubles by trees of teams',
    module: orThrow(privatize({ team: 64, atomicBytes: 4 }).run(makeModule('trees', buffers, [kernel]))),
    inputs: { x, squares: Float64Array.of(1), most: Float64Array.of(5), odd: Float64Array.of(-7) },
    pairs: true,
  };
};
