import {
  allocateArray,
  buildKernel,
  constBuffer,
  declareBuffer,
  makeModule,
  type Buffer,
  type Module,
  type ScalarType,
  type TypedArray,
} from '@filigree/ir';
import { Writer, type Choose } from './random-module.js';

/** Values at the edges of each type, where identities break. */
const special: Readonly<Partial<Record<ScalarType, readonly (number | bigint)[]>>> = {
  f64: [0, -0, 1, -1, 2, NaN, Infinity, -Infinity, 0.1, -3.7, 1e300, 5e-324, 2147483648, 255.9, -1e10, 1e19],
  f32: [0, -0, 1, -1, 2, NaN, Infinity, -Infinity, 0.5, -3.75, 3e38, 1e-45, 16777217, 65535.5, -129, 1e10],
  i32: [0, 1, -1, 2, 7, -7, 2147483647, -2147483648, 255, 256, 65535, -32769, 31, 32, 33, 1000],
  i64: [
    0n,
    1n,
    -1n,
    2n,
    7n,
    -7n,
    9223372036854775807n,
    -9223372036854775808n,
    255n,
    4294967296n,
    65535n,
    -32769n,
    63n,
    64n,
    65n,
    9007199254740993n,
  ],
  u32: [0, 1, 2, 3, 7, 8, 31, 32, 255, 256, 65535, 65536, 2147483647, 2147483648, 4294967294, 4294967295],
  u16: [0, 1, 2, 3, 7, 8, 15, 16, 255, 256, 32767, 32768, 65534, 65535, 100, 1000],
  u64: [
    0n,
    1n,
    2n,
    3n,
    63n,
    64n,
    65n,
    255n,
    65535n,
    4294967295n,
    4294967296n,
    9007199254740992n,
    9007199254740993n,
    9223372036854775807n,
    9223372036854775808n,
    18446744073709551615n,
  ],
  i16: [0, 1, -1, 2, -2, 7, 15, 16, 100, 255, 256, -129, 1000, -1000, 32767, -32768],
  i8: [0, 1, -1, 2, -2, 3, 7, 8, -8, 15, 31, 32, 100, -100, 127, -128],
  u8: [0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 100, 127, 128, 200, 254, 255],
};
const types = Object.keys(special) as ScalarType[];
const inputs: readonly Buffer[] = types.map((t) => constBuffer(`in_${t}`, t, [...special[t]!]));
const outputs = (count: number): readonly Buffer[] =>
  [...types, 'i1'].flatMap((t) =>
    Array.from({ length: count }, (_, k) => declareBuffer(`${t}_${k}`, t as ScalarType, 256, 'output')),
  );

/** A loop over all pairs of special values, with a random expression or more computed and stored for each pair. */
export const randomExpressions = (choose: Choose): Module => {
  const count = 1 + choose(16);
  const buffers = [...inputs, ...outputs(count)];
  const kernel = buildKernel(
    'f',
    {},
    (b) => {
      const [zero, one, size, mask] = [b.i32(0), b.i32(1), b.i32(256), b.i32(15)];
      b.for(zero, size, one, { simd: true }, [], (i) => {
        const [x, y] = [b.and(i, mask), b.shr(i, b.i32(4))];
        let scope = types.flatMap((t) => [b.load(`in_${t}`, x), b.load(`in_${t}`, y)]);
        const writer = new Writer(b, choose, 2);
        for (let k = 0; k < count; k++) {
          const value = writer.expression(scope);
          scope = [...scope, value, value];
          b.store(`${value.type as string}_${k}`, value, i);
        }
      });
    },
    buffers,
  );
  return makeModule('expressions', buffers, [kernel]);
};

/** Memory for a module of `randomExpressions`. */
export const expressionOutputs = (module: Module): Record<string, TypedArray> =>
  Object.fromEntries(
    module.buffers.filter((b) => b.role === 'output').map((b) => [b.name, allocateArray(b.type, b.length)]),
  );
