/** Scalar types of kernel IR. `i1` is a truth value; offsets and loop counters are `i32` or `i64`. */
export type ScalarType = 'i1' | 'i8' | 'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64' | 'f32' | 'f64';

/** A short vector of `lanes` scalars, made by vectorisation; element-wise ops take it wherever they take a scalar. */
export interface VectorType {
  readonly lanes: number;
  readonly of: ScalarType;
}

/** The type of a value: a scalar, or a short vector of scalars. */
export type Type = ScalarType | VectorType;

/** The type as text: `f64` or `vec<4 x f64>`. */
export const typeText = (t: Type): string => (typeof t === 'string' ? t : `vec<${t.lanes} x ${t.of}>`);

/** The scalar of a type: itself, or a vector's element. */
export const scalarOf = (t: Type): ScalarType => (typeof t === 'string' ? t : t.of);

/** The number of lanes: 1 for a scalar. */
export const lanesOf = (t: Type): number => (typeof t === 'string' ? 1 : t.lanes);

/** Whether a type is a vector. */
export const isVector = (t: Type): t is VectorType => typeof t !== 'string';

/** Whether two types are equal: same scalar, same number of lanes. */
export const sameType = (a: Type, b: Type): boolean => scalarOf(a) === scalarOf(b) && lanesOf(a) === lanesOf(b);

/** `f32` or `f64`, scalar or vector. */
export const isFloat = (t: Type): boolean => scalarOf(t) === 'f32' || scalarOf(t) === 'f64';

/** Bytes of one scalar in memory; `i1` takes one. */
export const byteSize = (t: ScalarType): number =>
  t === 'f64' || t === 'i64' || t === 'u64'
    ? 8
    : t === 'f32' || t === 'i32' || t === 'u32'
      ? 4
      : t === 'i16' || t === 'u16'
        ? 2
        : 1;

/** Every scalar type, truth values first. */
export const scalarTypes: readonly ScalarType[] = [
  'i1',
  'i8',
  'i16',
  'i32',
  'i64',
  'u8',
  'u16',
  'u32',
  'u64',
  'f32',
  'f64',
];

/** Whether a text, or anything else, is the name of a scalar type. */
export const isScalarType = (text: unknown): text is ScalarType => (scalarTypes as readonly unknown[]).includes(text);

/** An integer of some width, scalar or vector; a truth value is not one. */
export const isInteger = (t: Type): boolean => !isFloat(t) && scalarOf(t) !== 'i1';

/** A signed integer, scalar or vector. */
export const isSigned = (t: Type): boolean => isInteger(t) && scalarOf(t).startsWith('i');

/** i64 and u64, whose values are `bigint` at run time and decimal strings in attributes. */
export const isWide = (t: Type): boolean => scalarOf(t) === 'i64' || scalarOf(t) === 'u64';

/** The type with the same lanes and another scalar. */
export const withScalar = (t: Type, of: ScalarType): Type => (typeof t === 'string' ? of : { lanes: t.lanes, of });
