import { byteSize, integerRange, isFloat, isInteger, isSigned, type ScalarType } from '@filigree/ir';
import type { Scalar } from './code.js';

/**
 * What is known about the type of a scalar. `int` and `float` are numbers that adopt the type of what they meet: `int`
 * comes from literals without a fraction, `float` from literals with one and from real division of integers. Undefined:
 * nothing is known yet. In order: int, the integer types, float, f32, f64; truth values stand apart.
 */
export type Kind = ScalarType | 'int' | 'float' | undefined;

/** A whole number is `int` however it is written: tools that text passes through write 1.0 as 1. */
export const literalKind = (value: number | bigint | boolean): Kind => {
  if (typeof value === 'boolean') return 'i1';
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int' : 'float';
};

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

/**
 * The least kind that holds the values of all operands: u8 with the literal -1, or with a variable of no stated type, is i32;
 * a variable of no stated type with 3e9 is u32. `exact`: u32 with such a variable is i64, as for a result that would be
 * another if the variable were taken modulo 2³².
 */
export const joinOperands = (args: readonly Scalar[], kinds: readonly Kind[], exact = false): Kind | 'conflict' => {
  const all = kinds.reduce<Kind | 'conflict'>((a, b) => (a === 'conflict' ? a : join(a, b)), undefined);
  if (all === undefined || all === 'conflict' || all === 'i1' || isReal(all)) return all;
  const variable = args.some((s, k) => s.is !== 'literal' && kinds[k] === 'int');
  const start = all !== 'int' && variable && (exact || isNarrow(all)) ? join(all, 'i32') : all;
  return args.reduce<Kind | 'conflict'>((kind, s) => {
    if (s.is !== 'literal' || typeof s.value === 'boolean' || kind === 'conflict') return kind;
    const { value } = s;
    const type = kind === 'int' ? 'i32' : (kind as ScalarType);
    return holds(type, value) ? kind : join(type, leastType(value));
  }, start);
};

/** The first of i32, u32, i64, u64 that holds a whole number, f64 if none does. */
export const leastType = (value: number | bigint): ScalarType =>
  (['i32', 'u32', 'i64', 'u64'] as const).find((type) => holds(type, value)) ?? 'f64';

/** Whether a whole number is one of an integer type. */
const holds = (type: ScalarType, value: number | bigint): boolean => {
  const [least, most] = integerRange(type);
  return value >= least && value <= most;
};

/** Integers below 32 bits are promoted to i32 before arithmetic, as in C: u8 + 1 is 256 where JavaScript says so. */
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
