import { type ScalarType, type TypedArray, allocateArray, integerRange, isFloat } from '@filigree/ir';

/** The values where arithmetic of a type goes wrong first, and a few ordinary ones. */
export const edgeValues = (t: ScalarType): readonly (number | bigint)[] => {
  if (t === 'i1') return [0, 1];
  if (isFloat(t))
    return t === 'f64'
      ? [...floats, 1e308, -1e308, 5e-324, 2.2250738585072014e-308]
      : floats.map(Math.fround).concat(3e38, 1e-45, 1.1754944e-38);
  const [min, max] = integerRange(t);
  const all = [
    min,
    min + 1n,
    max,
    max - 1n,
    0n,
    1n,
    2n,
    3n,
    7n,
    max / 2n,
    max / 3n + 1n,
    ...(min < 0n ? [-1n, -2n, -3n, -7n, min / 2n] : []),
  ];
  return t === 'i64' || t === 'u64' ? all : all.map(Number);
};

const floats = [
  0,
  -0,
  1,
  -1,
  0.5,
  -0.5,
  1.5,
  -1.5,
  2.5,
  -2.5,
  0.49999999999999994,
  3.7,
  -3.7,
  1e-10,
  12345.678,
  -12345.678,
  2147483647,
  2147483648,
  -2147483649,
  4294967295.5,
  4294967296,
  9007199254740992,
  1.8446744073709552e19,
  -9.223372036854776e18,
  Infinity,
  -Infinity,
  NaN,
];

/** All pairs of edge values, as two arrays of one length. */
export const edgePairs = (t: ScalarType): readonly [TypedArray, TypedArray] => {
  const values = edgeValues(t);
  const n = values.length;
  return [arrayOf(t, n * n, (k) => values[Math.floor(k / n)]!), arrayOf(t, n * n, (k) => values[k % n]!)];
};

export const edges = (t: ScalarType): TypedArray => {
  const values = edgeValues(t);
  return arrayOf(t, values.length, (k) => values[k]!);
};

/** A typed array from a function of the position; numbers for 64-bit integers become bigints. */
export const arrayOf = (t: ScalarType, length: number, at: (k: number) => number | bigint): TypedArray => {
  const a = allocateArray(t, length);
  for (let k = 0; k < length; k++) a[k] = t === 'i64' || t === 'u64' ? BigInt(at(k)) : Number(at(k));
  return a;
};

/** Numbers in [0, 1) that are the same in every run (a Lehmer generator). */
export const randoms = (seed: number): (() => number) => {
  let s = (seed % 2147483646) + 1;
  return () => {
    s = (s * 48271) % 2147483647;
    return s / 2147483647;
  };
};

export const randomArray = (t: ScalarType, length: number, seed: number, low = -1, high = 1): TypedArray => {
  const next = randoms(seed);
  return arrayOf(t, length, () => (isFloat(t) ? low + (high - low) * next() : Math.floor(low + (high - low) * next())));
};
