import { byteSize, integerRange, isFloat, isInteger, isSigned, type ScalarType } from '@filigree/ir';
import type { Literal, Scalar } from './scalar.js';

/**
 * What is known about the type of a scalar. `int` and `float` are numbers that adopt the type of what they meet: `int`
 * comes from whole literals; `float` from other literals and from real division
 * of integers. `mixed` is what u32 and signed integers of 32 bits have in common: it is computed with 64 bits, which hold all its
 * values, but operations on bits take the 32 that plain TypeScript takes. Undefined: nothing is known yet. In order: int, the
 * integer types with `mixed` below i64, float, f32, f64; truth values stand apart.
 */
export type Kind = ScalarType | 'int' | 'mixed' | 'float' | undefined;

/** The kind of a literal as an operand. Whole numbers beyond 2⁵³ of which nothing more is known are floats. */
export const literalKind = ({ value, float, type }: Literal): Kind => {
  if (type !== undefined) return type;
  if (typeof value === 'boolean') return 'i1';
  if (typeof value === 'bigint') return 'int';
  return float !== 'written' && Number.isSafeInteger(value) ? 'int' : 'float';
};

/** The kind of a literal as what a variable or a cast is given: a whole number that came of floats is one of them. */
export const givenKind = (l: Literal): Kind => (l.float === undefined ? literalKind(l) : 'float');

/** A literal that is whole and of no stated type. */
export const isWholeLiteral = (s: Scalar): s is Literal & { readonly value: number | bigint } =>
  s.is === 'literal' && literalKind(s) === 'int';

/** The least kind that holds both; `conflict` where there is none: a number and a truth value, i64 and u64. */
export const join = (a: Kind, b: Kind): Kind | 'conflict' => {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  if (a === 'i1' || b === 'i1') return 'conflict';
  if (a === 'int') return b;
  if (b === 'int') return a;
  if (isReal(a) || isReal(b)) return [a, b].includes('f64') ? 'f64' : [a, b].includes('f32') ? 'f32' : 'float';
  return joinIntegers(a as IntegerKind, b as IntegerKind);
};

/**
 * The least kind that holds the values of all operands: u8 with the literal -1, or with a variable of no stated type, is i32;
 * i32 with the literal 3000000000, which is an u32, is `mixed`. `exact`: u32 with a variable of no stated type is `mixed`, as that
 * variable is an i32.
 */
export const joinOperands = (args: readonly Scalar[], given: readonly Kind[], exact = false): Kind | 'conflict' => {
  const kinds = given.includes('u64') ? given.map((kind, k) => besideU64(args[k], kind)) : given;
  const all = kinds.reduce<Kind | 'conflict'>((a, b) => (a === 'conflict' ? a : join(a, b)), undefined);
  if (all === undefined || all === 'conflict' || all === 'i1' || isReal(all)) return all;
  const variable = args.some((s, k) => s.is !== 'literal' && kinds[k] === 'int');
  const literals = args.filter(isWholeLiteral).map((s) => s.value);
  if (all === 'int' && !variable) return untyped(literals);
  const start = all !== 'int' && variable && (exact || isNarrow(all)) ? join(all, 'i32') : all;
  return literals.reduce<Kind | 'conflict'>((kind, value) => {
    if (kind === 'conflict') return kind;
    const least = leastType(value);
    const type = kind === 'int' ? 'i32' : typeOfKind(kind as IntegerKind);
    return holds(type, value) || isFloat(least) ? kind : join(kind === 'int' ? 'i32' : kind, least);
  }, start);
};

/** Whether it is a number such as `3n` or `BigInt(3)`: an i64 where nothing that it meets is an u64. */
export const isEither64 = (s: Scalar | undefined): boolean =>
  s?.is === 'temp' ? s.either === true : s?.type === 'i64' && holds('u64', s.value as bigint);

/** `3n` is an u64 beside one. */
export const besideU64 = (s: Scalar | undefined, kind: Kind): Kind => (isEither64(s) ? 'u64' : kind);

/** The kind of whole literals among themselves. */
const untyped = (values: readonly (number | bigint)[]): Kind => {
  const type = integers.find((t) => values.every((value) => holds(t, value)));
  return type === undefined || type === 'i32' ? 'int' : type;
};

const integers = ['i32', 'u32', 'i64', 'u64'] as const;

/** The first of i32, u32, i64, u64 that holds whole numbers, f64 if none does. */
export const leastType = (...values: readonly (number | bigint)[]): ScalarType =>
  integers.find((type) => values.every((value) => holds(type, value))) ?? 'f64';

/** Whether a whole number is one of an integer type. */
export const holds = (type: ScalarType, value: number | bigint): boolean => {
  if (!isInteger(type)) return false;
  const [least, most] = integerRange(type);
  return value >= least && value <= most;
};

/** Integers below 32 bits are promoted to i32 before arithmetic, as in C: u8 + 1 is 256 where JavaScript says so. */
export const promote = (k: Kind): Kind => (isNarrow(k) ? 'i32' : k);

export const isReal = (k: Kind): boolean => k === 'float' || k === 'f32' || k === 'f64';

/** Any integer; nothing known yet counts as one. */
export const isWhole = (k: Kind): boolean =>
  k === undefined || k === 'int' || k === 'mixed' || (k !== 'float' && isInteger(k));

/** Whether a value of one kind may be stored as `to` without a cast: floats round, integers only widen. */
export const fits = (from: Kind, to: ScalarType): boolean => {
  if (from === undefined || from === to) return true;
  if (from === 'i1' || to === 'i1') return false;
  if (isFloat(to)) return true;
  return from === 'int' || join(from, to) === to;
};

/** The type that a kind of integers is computed in. */
export const typeOfKind = (k: IntegerKind | 'int'): ScalarType => (k === 'int' ? 'i32' : k === 'mixed' ? 'i64' : k);

type IntegerKind = Exclude<Kind, 'int' | 'float' | undefined>;

/** Whether it is an integer that is computed with as i32. */
export const isNarrow = (k: Kind): boolean =>
  k !== undefined && k !== 'int' && k !== 'float' && k !== 'mixed' && isInteger(k) && byteSize(k) < 4;

const joinIntegers = (a: IntegerKind, b: IntegerKind): Kind | 'conflict' => {
  const [x, y] = [typeOfKind(a), typeOfKind(b)];
  const [narrow, wide] = byteSize(x) <= byteSize(y) ? [x, y] : [y, x];
  const joined = isSigned(narrow) === isSigned(wide) ? wide : signedAbove(narrow, wide);
  return joined === 'i64' && a !== 'i64' && b !== 'i64' ? 'mixed' : joined;
};

/** The least signed type that holds a signed and an unsigned one. */
const signedAbove = (a: ScalarType, b: ScalarType): ScalarType | 'conflict' => {
  const [signed, unsigned] = isSigned(a) ? [a, b] : [b, a];
  const types = ['i16', 'i32', 'i64'] as const;
  return types.find((s) => byteSize(s) >= byteSize(signed) && byteSize(s) > byteSize(unsigned)) ?? 'conflict';
};
