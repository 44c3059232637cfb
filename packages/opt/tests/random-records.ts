import {
  buildKernel,
  declareBuffer,
  makeModule,
  type Buffer,
  type Module,
  type TypedArray,
  type Value,
} from '@filigree/ir';
import type { Choose } from './random-module.js';

const most = 90;

const buffers: readonly Buffer[] = [
  declareBuffer('w', 'u32', most, 'inout'),
  declareBuffer('h', 'i16', most, 'inout'),
  declareBuffer('t', 'f32', most, 'input'),
];

export const recordInputs = (seed: number): Record<string, TypedArray> => {
  const word = (k: number): number => Math.imul(seed + k, 0x9e3779b1) >>> 7;
  return {
    w: Uint32Array.from({ length: most }, (_, k) => word(k)),
    h: Int16Array.from({ length: most }, (_, k) => word(k + 500)),
    t: Float32Array.from({ length: most }, (_, k) => (word(k + 900) % 100) / 8),
  };
};

/** A loop over records of words, each iteration on one of its own: fields are taken out of words, computed with, and packed again. */
export const randomRecords = (choose: Choose): Module => {
  const stride = 3 + choose(7);
  const trips = choose(Math.floor(most / stride) + 1);
  const first = choose(2);
  return makeModule('m', buffers, [
    buildKernel(
      'k',
      {},
      (b) => {
        const one = b.i32(1);
        const attrs = choose(2) === 0 ? { simd: true } : { parallel: true };
        b.for(b.i32(first), b.i32(Math.max(first, trips)), one, attrs, [], (i) => {
          const at = (): Value => b.add(b.mul(i, b.i32(stride)), b.i32(choose(stride)));
          let x: Value = b.load('t', choose(2) === 0 ? i : b.i32(choose(4)));
          for (let n = 2 + choose(8); n > 0; n--) {
            const buffer = choose(3) === 0 ? 'h' : 'w';
            if (choose(3) > 0) {
              const word = b.cast(b.load(buffer, at()), 'i32');
              x = b.add(x, b.cast(b.shr(b.shl(word, b.i32(choose(20))), b.i32(20)), 'f32'));
              x = b.mul(x, b.f32(0.5));
            } else {
              const code = b.and(b.cast(x, 'i32'), b.i32(4095));
              b.store(buffer, b.cast(b.or(code, b.shl(code, b.i32(12))), buffer === 'h' ? 'i16' : 'u32'), at());
            }
          }
        });
      },
      buffers,
    ),
  ]);
};
