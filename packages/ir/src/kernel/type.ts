/** Scalar types of kernel IR. `i1` is a truth value; offsets and loop counters are `i32` or `i64`. */
export type ScalarType = 'i1' | 'i8' | 'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64' | 'f32' | 'f64';

/** A short vector of `lanes` scalars, made by vectorisation; element-wise ops take it wherever they take a scalar. */
export interface VectorType {
  readonly lanes: number;
  readonly of: ScalarType;
}

/**
 * A type of one's own: a dialect brings it, and only the dialect's ops make and take its values. A pass lowers it before code is
 * generated.
 */
export interface OwnType {
  /** `dialect.name`. */
  readonly own: string;
  /** What tells apart the types of one name, for the dialect to read: extents, the type of an element. */
  readonly args: readonly (number | ScalarType)[];
}

/** The type of a value: a scalar, a short vector of scalars, or a type of one's own. */
export type Type = ScalarType | VectorType | OwnType;

/** The type as text: `f64`, `vec<4 x f64>`, or `!dialect.name<8, f64>`. */
export const typeText = (t: Type): string => {
  if (typeof t === 'string') return t;
  return isOwn(t) ? ownTypeText(t) : `vec<${t.lanes} x ${t.of}>`;
};

const ownTypeText = ({ own, args }: OwnType): string => `!${own}${args.length === 0 ? '' : `<${args.join(', ')}>`}`;

/**
 * The scalar of a type: itself, or a vector's element. One's own type counts as a scalar of its own, which is neither a float nor an integer: what
 * takes numbers takes none of these.
 */
export const scalarOf = (t: Type): ScalarType => {
  if (typeof t === 'string') return t;
  return isOwn(t) ? (ownTypeText(t) as ScalarType) : t.of;
};

/** The number of lanes: 1 for a scalar. */
export const lanesOf = (t: Type): number => (isVector(t) ? t.lanes : 1);

/** Whether a type is a vector. */
export const isVector = (t: Type): t is VectorType => typeof t !== 'string' && 'lanes' in t;

/** Whether a type is one that a dialect brought. */
export const isOwn = (t: Type): t is OwnType => typeof t !== 'string' && 'own' in t;

/** Whether two types are equal: same scalar, same number of lanes; one's own by name and arguments. */
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
export const isInteger = (t: Type): boolean => !isFloat(t) && scalarOf(t) !== 'i1' && !isOwn(t);

/** A signed integer, scalar or vector. */
export const isSigned = (t: Type): boolean => isInteger(t) && scalarOf(t).startsWith('i');

/** i64 and u64, whose values are `bigint` at run time and decimal strings in attributes. */
export const isWide = (t: Type): boolean => scalarOf(t) === 'i64' || scalarOf(t) === 'u64';

/** The type with the same lanes and another scalar. */
export const withScalar = (t: Type, of: ScalarType): Type => (isVector(t) ? { lanes: t.lanes, of } : of);
