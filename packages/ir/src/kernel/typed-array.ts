import type { Buffer, TypedArray } from './op.js';
import { byteSize, type ScalarType } from './type.js';

/** The constructor of the typed array that holds a buffer of this scalar type; `i1` is one byte, 0 or 1. */
export const arrayConstructor = (type: ScalarType): TypedArrayConstructor => constructors[type];

/** The typed array that holds a buffer of a scalar type, where that is known; any of them where it is not. */
export type TypedArrayOf<T extends ScalarType> = ScalarType extends T ? TypedArray : Arrays[T];

interface Arrays {
  readonly i1: Uint8Array;
  readonly i8: Int8Array;
  readonly i16: Int16Array;
  readonly i32: Int32Array;
  readonly i64: BigInt64Array;
  readonly u8: Uint8Array;
  readonly u16: Uint16Array;
  readonly u32: Uint32Array;
  readonly u64: BigUint64Array;
  readonly f32: Float32Array;
  readonly f64: Float64Array;
}

/** A zeroed typed array of `length` elements of `type`. */
export const allocateArray = <T extends ScalarType>(type: T, length: number): TypedArrayOf<T> =>
  new constructors[type](length) as TypedArrayOf<T>;

/**
 * Zeroed typed arrays for these buffers, by name, as `interpret` takes them; those of one memory are views of one
 * `ArrayBuffer`. Left out are scratch buffers, which only kernels see, and constants, whose contents the module has.
 */
export const allocateBuffers = (all: readonly Buffer[]): Record<string, TypedArray> => {
  const buffers = all.filter((b) => b.role !== 'scratch' && b.role !== 'const');
  const bytes = new Map<string, number>();
  for (const { memory, type, length } of buffers)
    if (memory !== undefined) bytes.set(memory, Math.max(bytes.get(memory) ?? 0, length * byteSize(type)));
  const memories = new Map([...bytes].map(([name, n]) => [name, new ArrayBuffer(n)]));
  return Object.fromEntries(
    buffers.map(({ name, memory, type, length }) => [
      name,
      memory === undefined ? allocateArray(type, length) : new constructors[type](memories.get(memory)!, 0, length),
    ]),
  );
};

/** The bytes under a typed array, without a copy, in the machine's order. */
export const bytesOf = (data: TypedArray): Uint8Array => new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

/** The constructor of one of the typed arrays that hold buffers. */
export interface TypedArrayConstructor {
  readonly [Symbol.hasInstance]: (value: unknown) => boolean;
  new (length: number): TypedArray;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): TypedArray;
  readonly BYTES_PER_ELEMENT: number;
  readonly name: string;
}

const constructors: Readonly<Record<ScalarType, TypedArrayConstructor>> = {
  i1: Uint8Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  f32: Float32Array,
  f64: Float64Array,
};
