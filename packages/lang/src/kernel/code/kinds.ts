import { isFloat, isInteger, isSigned, byteSize, type ScalarType } from '@filigree/ir';

/**
 * What is known of a scalar's type. `int` and `float` are numbers that take their type from what they meet: `int` from
 * literals without a fraction, `float` from literals with one and from real division of integers. Undefined: nothing is
 * known yet. In order: int, the integer types, float, f32, f64; truth values stand apart.
 */
export type Kind = ScalarType | 'int' | 'float' | undefined;

/** The least kind that holds both; `conflict` where there is none: a number and a truth value, i64 and u64. */
export const join = (a: Kind, b: Kind): Kind | 'conflict' => {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  if (a === 'i1' || b === 'i1') return 'conflict';
  if (a === 'int') return b;
  if (b === 'int') return a;
  if (isReal(a) || isReal(b)) return [a, b].includes('f64') ? 'f64' : [a, b].includes('f32') ? 'f32' : 'float';
  return joinIntegers(a as ScalarType, b as ScalarType);
};

/** Integers below 32 bits become i32 before they are computed with, as in C: u8 + 1 is 256 where JavaScript says so. */
export const promote = (k: Kind): Kind => (isNarrow(k) ? 'i32' : k);

export const isReal = (k: Kind): boolean => k === 'float' || k === 'f32' || k === 'f64';

/** Any integer; nothing known yet counts as one. */
export const isWhole = (k: Kind): boolean => k === undefined || k === 'int' || (k !== 'float' && isInteger(k));

/** Whether a value of one kind may be stored as `to` without a cast: floats round, integers only widen. */
export const fits = (from: Kind, to: ScalarType): boolean => {
  if (from === undefined || from === to) return true;
  if (from === 'i1' || to === 'i1') return false;
  if (isFloat(to)) return true;
  return from === 'int' || join(from, to) === to;
};

const isNarrow = (k: Kind): boolean =>
  k !== undefined && k !== 'int' && k !== 'float' && isInteger(k) && byteSize(k) < 4;

const joinIntegers = (a: ScalarType, b: ScalarType): ScalarType | 'conflict' => {
  const [narrow, wide] = byteSize(a) <= byteSize(b) ? [a, b] : [b, a];
  if (isSigned(narrow) === isSigned(wide)) return wide;
  const signed = isSigned(wide) ? wide : narrow;
  const unsigned = isSigned(wide) ? narrow : wide;
  return signedAbove.find((s) => byteSize(s) >= byteSize(signed) && byteSize(s) > byteSize(unsigned)) ?? 'conflict';
};

const signedAbove: readonly ScalarType[] = ['i16', 'i32', 'i64'];
