import type { ScalarType } from '@filigree/ir';

/** Typed arrays that a kernel makes, by name, and the types of their elements. */
export const ownTypes: Readonly<Partial<Record<string, ScalarType>>> = {
  Int8Array: 'i8',
  Int16Array: 'i16',
  Int32Array: 'i32',
  Uint8Array: 'u8',
  Uint16Array: 'u16',
  Uint32Array: 'u32',
  Float32Array: 'f32',
  Float64Array: 'f64',
};

/** Typed arrays by name, and the types of their elements. */
export const elementTypes: typeof ownTypes = {
  ...ownTypes,
  Uint8ClampedArray: 'u8',
  BigInt64Array: 'i64',
  BigUint64Array: 'u64',
};
