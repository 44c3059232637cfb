import { type Kernel, type Scalar, type ScalarType, argumentsInto } from '@filigree/ir';

/** Arguments of launches, one behind the other, 8 bytes each, as entries that take many read them. */
export interface PackedArguments {
  readonly bytes: Uint8Array;
  /** Writes those of launch `k`. Error: `run/arguments`. */
  readonly set: (k: number, args: readonly Scalar[]) => void;
}

/** Room for the arguments of these kernels, in this order. */
export const packedArguments = (kernels: readonly Kernel[]): PackedArguments => {
  const counts = kernels.map((k) => k.params.length);
  const bytes = new Uint8Array(
    8 *
      Math.max(
        1,
        counts.reduce((sum, n) => sum + n, 0),
      ),
  );
  const view = new DataView(bytes.buffer);
  let first = 0;
  const setters = kernels.map((kernel, k) => {
    const values: Scalar[] = [];
    const check = argumentsInto(kernel, values, 0);
    const at = 8 * first;
    first += counts[k]!;
    return (args: readonly Scalar[]): void => {
      check(args);
      kernel.params.forEach((p, n) => put[p.type as ScalarType](view, at + 8 * n, values[n]!));
    };
  });
  return { bytes, set: (k, args) => setters[k]!(args) };
};

/* Node runs on little-endian processors only. */
const put: Readonly<Record<ScalarType, (view: DataView, at: number, x: Scalar) => void>> = {
  i1: (v, at, x) => v.setUint8(at, Number(x)),
  i8: (v, at, x) => v.setInt8(at, Number(x)),
  i16: (v, at, x) => v.setInt16(at, Number(x), true),
  i32: (v, at, x) => v.setInt32(at, Number(x), true),
  i64: (v, at, x) => v.setBigInt64(at, BigInt(x), true),
  u8: (v, at, x) => v.setUint8(at, Number(x)),
  u16: (v, at, x) => v.setUint16(at, Number(x), true),
  u32: (v, at, x) => v.setUint32(at, Number(x), true),
  u64: (v, at, x) => v.setBigUint64(at, BigInt(x), true),
  f32: (v, at, x) => v.setFloat32(at, Number(x), true),
  f64: (v, at, x) => v.setFloat64(at, Number(x), true),
};
