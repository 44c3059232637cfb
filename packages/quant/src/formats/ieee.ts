import type { Builder, ScalarType, Value } from '@filigree/ir';

/** A type of floats, as words. */
export interface Ieee {
  readonly type: 'f32' | 'f64';
  readonly word: 'u32' | 'u64';
  readonly width: number;
  readonly exponent: number;
  readonly fraction: number;
  readonly bias: bigint;
  readonly sign: bigint;
  readonly infinity: bigint;
  readonly leastNormal: bigint;
  readonly bitsOf: (value: number) => bigint;
  readonly numberOf: (bits: bigint) => number;
  /** A word in kernels. */
  readonly constant: (b: Builder, value: bigint) => Value;
}

/** The floats of a type, f32 unless it is f64. */
export const ieeeOf = (type: ScalarType): Ieee => (type === 'f64' ? f64 : f32);

const ieee = (type: Ieee['type'], exponent: number, fraction: number) => {
  const sign = 1n << BigInt(exponent + fraction);
  const leastNormal = 1n << BigInt(fraction);
  return {
    type,
    width: exponent + fraction + 1,
    exponent,
    fraction,
    bias: (1n << BigInt(exponent - 1)) - 1n,
    sign,
    infinity: sign - leastNormal,
    leastNormal,
  };
};

const view = new DataView(new ArrayBuffer(8));

const f32: Ieee = {
  ...ieee('f32', 8, 23),
  word: 'u32',
  bitsOf: (value) => {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  },
  numberOf: (bits) => {
    view.setUint32(0, Number(bits));
    return view.getFloat32(0);
  },
  constant: (b, value) => b.constant(Number(value), 'u32'),
};

const f64: Ieee = {
  ...ieee('f64', 11, 52),
  word: 'u64',
  bitsOf: (value) => {
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  },
  numberOf: (bits) => {
    view.setBigUint64(0, bits);
    return view.getFloat64(0);
  },
  constant: (b, value) => b.constant(value, 'u64'),
};
