import { allocateArray, arrayConstructor } from '../kernel/typed-array.js';
import type { Attrs, Buffer, Kernel, TypedArray } from '../kernel/op.js';
import type { Module } from '../kernel/module.js';
import type { ScalarType } from '../kernel/type.js';

/** A buffer that has no contents of its own. */
export const declareBuffer = (
  name: string,
  type: ScalarType,
  length: number,
  role: Exclude<Buffer['role'], 'const'>,
): Buffer => ({
  name,
  type,
  length,
  role,
});

/** A constant buffer from its contents: the typed array of `type`, kept as it is and never written, or numbers, copied. */
export const constBuffer = (
  name: string,
  type: ScalarType,
  data: TypedArray | readonly (number | bigint)[],
): Buffer => ({
  name,
  type,
  length: data.length,
  role: 'const',
  data: Array.isArray(data) ? filled(type, data as readonly (number | bigint)[]) : (data as TypedArray),
});

/** A module from its parts. Nothing is checked here: `verifyModule` does that. */
export const makeModule = (
  name: string,
  buffers: readonly Buffer[],
  kernels: readonly Kernel[],
  attrs: Attrs = {},
): Module => ({
  name,
  buffers,
  kernels,
  attrs,
});

const filled = (type: ScalarType, values: readonly (number | bigint)[]): TypedArray => {
  const out = allocateArray(type, values.length);
  const wide = arrayConstructor(type) === BigInt64Array || arrayConstructor(type) === BigUint64Array;
  values.forEach((x, i) => (out[i] = wide ? BigInt(x) : Number(x)));
  return out;
};
