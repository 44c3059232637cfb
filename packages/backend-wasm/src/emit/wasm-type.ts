import { type ScalarType, byteSize } from '@filigree/ir';

/** Types of WebAssembly locals and stack slots; `void` is a statement. */
export type WasmType = 'i32' | 'i64' | 'f32' | 'f64' | 'v128' | 'void';

/**
 * The WebAssembly type that holds a scalar. Integers narrower than 32 bits live in an `i32`, extended by their sign after
 * every operation; `i1` is 0 or 1.
 */
export const wasmType = (t: ScalarType): WasmType =>
  t === 'f64' || t === 'f32' ? t : t === 'i64' || t === 'u64' ? 'i64' : 'i32';

export const isUnsigned = (t: ScalarType): boolean => t.startsWith('u') || t === 'i1';

/** The instruction that loads a scalar of this type, extending narrow integers. */
export const loadInstruction = (t: ScalarType): string =>
  wasmType(t) + '.load' + narrowSuffix(t) + (byteSize(t) < 4 ? extension(t) : '');

/** The instruction that stores a scalar of this type. */
export const storeInstruction = (t: ScalarType): string => wasmType(t) + '.store' + narrowSuffix(t);

/** `_s` or `_u`. */
export const extension = (t: ScalarType): '_s' | '_u' => (isUnsigned(t) ? '_u' : '_s');

/** The shape of a vector of this element, as in `i32x4`; truth values as lanes of `maskBytes`. */
export const shapeOf = (t: ScalarType, maskBytes = 4): string =>
  t === 'f64' ? 'f64x2' : t === 'f32' ? 'f32x4' : integerShape(t === 'i1' ? maskBytes : byteSize(t));

/** The integer shape with lanes of so many bytes. */
export const integerShape = (bytes: number): string => `i${8 * bytes}x${16 / bytes}`;

const narrowSuffix = (t: ScalarType): string => (byteSize(t) < 4 ? String(8 * byteSize(t)) : '');
