import type { Draw } from '../draw.js';
import { bitsOf, cast, isFloat, wrap, type Scalar, type ScalarType } from './scalars.js';

/** A value of a type: small ones, those at the ends of types, and of whole numbers any. Floats are multiples of 1/4. */
export const drawValue = (d: Draw, type: ScalarType): Scalar => {
  if (isFloat(type)) return (d.int(65) - 32) / 4;
  const small = BigInt(d.int(21) - 10);
  if (d.chance(0.6)) return wrap(type, small);
  const bits = d.of([7, 8, 15, 16, 31, 32, 52].filter((b) => b <= bitsOf(type)));
  return wrap(
    type,
    d.chance(0.5) ? (1n << BigInt(bits)) + small : (BigInt(d.int(2 ** 30)) * small) >> BigInt(d.int(20)),
  );
};

/** A float of any kind: huge, tiny, zero of either sign, and those that are no numbers. */
export const drawFloat = (d: Draw, type: 'f32' | 'f64'): number => {
  const x = d.of([0, -0, 1, -1, 0.1, 1 / 3, 1e-3, 12345.678, 1e10, -1e10, 3e38, 1e-40, 1e300, 1e-300]);
  return cast(type, d.chance(0.5) ? x : (d.int(2001) - 1000) / 7) as number;
};
