import {
  buildKernel,
  declareBuffer,
  makeModule,
  type Buffer,
  type Builder,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const size = 16;

const buffers: readonly Buffer[] = [declareBuffer('w', 'u32', size, 'inout'), declareBuffer('x', 'f32', size, 'inout')];

export const wordInputs = (seed: number): Record<string, TypedArray> => ({
  w: Uint32Array.from({ length: size }, (_, k) => Math.imul(seed + k, 0x9e3779b1)),
  x: Float32Array.from(
    { length: size },
    (_, k) => [NaN, Infinity, -0, 3e38, 1e-45][(seed + k) % 17] ?? (k - 7.3) * 0.7,
  ),
});

/** Straight-line code on numbers of a few bits: taken out of words, computed with, cut to what their codes hold, and packed again. */
export const randomWords = (choose: Choose): Module =>
  makeModule('m', buffers, [
    buildKernel(
      'k',
      {},
      (b) => {
        for (let n = 1 + choose(3); n > 0; n--) {
          const count = 2 + choose(4);
          const lanes = someNumbers(b, choose, count);
          const codes = choose(2) === 0 ? fixedCodes(b, choose, lanes) : floatCodes(b, choose, lanes);
          const bits = 4 + choose(12);
          const first = choose(size - count);
          codes.forEach((code, k) => {
            const before = codes[(k + 1) % count]!;
            const word = b.or(b.and(code, u32(b, 2 ** bits - 1)), b.shl(before, u32(b, bits)));
            b.store('w', word, b.i32(first + k));
            if (choose(4) === 0) b.store('x', b.cast(code, 'f32'), b.i32(first + k));
          });
        }
      },
      buffers,
    ),
  ]);

const u32 = (b: Builder, value: number): Value => b.constant(value, 'u32');

const someNumbers = (b: Builder, choose: Choose, count: number): readonly Value[] => {
  const bits = 3 + choose(10);
  const first = choose(size - count);
  const kind = choose(4);
  const numbers = Array.from({ length: count }, (_, k): Value => {
    if (kind === 0) return b.load('x', b.i32(first + k));
    const word = b.load('w', b.i32(first + Math.floor(k / 2)));
    const code = k % 2 === 0 ? b.and(word, u32(b, 2 ** bits - 1)) : b.shr(word, u32(b, 32 - bits));
    if (kind === 1) return b.bitcast(b.add(b.shl(code, u32(b, 23 - bits)), u32(b, 0x3f000000)), 'f32');
    const whole = b.cast(code, 'i32');
    const by = b.i32(choose(8) === 0 ? 9 : 32 - bits);
    return b.mul(b.cast(kind === 2 ? whole : b.shr(b.shl(whole, by), by), 'f32'), b.f32(0.25));
  });
  const factor = b.f32(1 + choose(5) / 4);
  return numbers.map((x) => (choose(12) === 0 ? x : b.add(b.mul(x, factor), numbers[choose(count)]!)));
};

const fixedCodes = (b: Builder, choose: Choose, lanes: readonly Value[]): readonly Value[] => {
  const most = b.f32(2 ** (3 + choose(20)));
  const way = choose(3);
  return lanes.map((x) => {
    const number = b.select(b.cmp('eq', x, x), x, b.f32(0));
    const above = way === 0 ? b.max(number, b.f32(-100)) : b.select(b.cmp('gt', number, b.f32(-8)), number, b.f32(-8));
    const within = way === 1 ? b.min(above, most) : b.select(b.cmp('lt', above, most), above, most);
    const whole = b.value('arith.cast', [within], { to: 'i32', fits: true });
    return b.cast(choose(9) === 0 ? b.neg(whole) : b.max(whole, b.i32(-5)), 'u32');
  });
};

const floatCodes = (b: Builder, choose: Choose, lanes: readonly Value[]): readonly Value[] => {
  const dropped = 8 + choose(12);
  const uneven = choose(3) === 0;
  const words = lanes.map((x) => b.bitcast(x, 'u32'));
  const most = words.reduce((x, y) => b.max(x, y));
  return words.map((word) => {
    const magnitude = b.and(word, u32(b, 0x7fffffff));
    const by = uneven ? b.shr(word, u32(b, 27)) : u32(b, dropped);
    const code = b.min(b.shr(b.add(magnitude, u32(b, 1 << (dropped - 1))), by), b.sub(most, u32(b, 3)));
    const odd = b.cmp('gt', b.sub(magnitude, u32(b, 1 << 23)), u32(b, 0x7f000000));
    return b.select(odd, u32(b, 0), b.xor(code, b.not(b.mul(word, u32(b, 5)))));
  });
};
