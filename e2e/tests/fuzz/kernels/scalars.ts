/**
 * The arithmetic of kernels as `docs/numbers.md` states it, said once more with big integers and `Math.fround`: nothing here is
 * shared with the compiler. Integers are bigints of any type, floats are numbers.
 */
export type IntegerType = 'i8' | 'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64';
export type FloatType = 'f32' | 'f64';
export type ScalarType = IntegerType | FloatType;
export type Scalar = number | bigint;

export const INTEGERS: readonly IntegerType[] = ['i8', 'i16', 'i32', 'i64', 'u8', 'u16', 'u32', 'u64'];
export const FLOATS: readonly FloatType[] = ['f32', 'f64'];
export const SCALARS: readonly ScalarType[] = [...INTEGERS, ...FLOATS];

export const isFloat = (t: ScalarType): t is FloatType => t === 'f32' || t === 'f64';
export const isSigned = (t: ScalarType): boolean => t.startsWith('i');
export const bitsOf = (t: ScalarType): number => Number(t.slice(1));
export const isNarrow = (t: ScalarType): boolean => !isFloat(t) && bitsOf(t) < 32;

/** A whole number modulo 2^bits, in the range of its type. */
export const wrap = (t: ScalarType, x: bigint): bigint =>
  isSigned(t) ? BigInt.asIntN(bitsOf(t), x) : BigInt.asUintN(bitsOf(t), x);

const round = (t: FloatType, x: number): number => (t === 'f32' ? Math.fround(x) : x);

/** A conversion: integers wrap, floats are cut off and saturate, NaN is 0; to floats the nearest. */
export const cast = (to: ScalarType, x: Scalar): Scalar => {
  if (isFloat(to)) return typeof x === 'number' ? round(to, x) : to === 'f32' ? nearestF32(x) : Number(x);
  if (typeof x === 'bigint') return wrap(to, x);
  if (Number.isNaN(x)) return 0n;
  const bits = BigInt(bitsOf(to));
  const [least, most] = isSigned(to) ? [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n] : [0n, (1n << bits) - 1n];
  if (x <= Number(least)) return least;
  if (x >= Number(most)) return most;
  return BigInt(Math.trunc(x));
};

/** Rounded once: a long integer goes through 53 bits that remember whether there was more. */
const nearestF32 = (x: bigint): number => {
  const size = x < 0n ? -x : x;
  const cut = size >> 11n;
  const sticky = size < 1n << 53n ? size : (cut | (cut << 11n === size ? 0n : 1n)) << 11n;
  return Math.fround(Number(x < 0n ? -sticky : sticky));
};

export type Binary =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '&'
  | '|'
  | '^'
  | '<<'
  | '>>'
  | '>>>'
  | 'min'
  | 'max'
  | 'idiv'
  | 'imul';

/** Both operands are of type `t` already, of shifts the first. */
export const binary = (t: ScalarType, op: Binary, a: Scalar, b: Scalar): Scalar =>
  isFloat(t) ? round(t, ofFloats(op, a as number, b as number)) : wrap(t, ofIntegers(t, op, a as bigint, b as bigint));

const ofFloats = (op: Binary, a: number, b: number): number => {
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case 'min':
      return Math.min(a, b);
    case 'max':
      return Math.max(a, b);
    default:
      throw new Error(`${op} of floats`);
  }
};

const ofIntegers = (t: ScalarType, op: Binary, a: bigint, b: bigint): bigint => {
  const amount = b & BigInt(Math.max(32, bitsOf(t)) - 1);
  switch (op) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
    case 'imul':
      return a * b;
    case 'idiv':
      return a / b;
    case '%':
      return a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << amount;
    case '>>':
      return a >> amount;
    case '>>>':
      return BigInt.asUintN(Math.max(32, bitsOf(t)), a) >> amount;
    case 'min':
      return a < b ? a : b;
    case 'max':
      return a > b ? a : b;
    default:
      throw new Error(`${op} of integers`);
  }
};

export type Unary = '-' | '~' | 'abs' | 'sign' | 'sqrt' | 'floor' | 'ceil' | 'trunc' | 'round' | 'clz32';

export const unary = (t: ScalarType, op: Unary, a: Scalar): Scalar => {
  if (isFloat(t)) return round(t, op === '-' ? -(a as number) : Math[op as 'abs'](a as number));
  const x = a as bigint;
  switch (op) {
    case '-':
      return wrap(t, -x);
    case '~':
      return wrap(t, ~x);
    case 'abs':
      return wrap(t, x < 0n ? -x : x);
    case 'sign':
      return x > 0n ? 1n : x < 0n ? -1n : 0n;
    case 'clz32':
      return BigInt(Math.clz32(Number(BigInt.asUintN(32, x))));
    default:
      return x;
  }
};

export type Comparison = '<' | '<=' | '>' | '>=' | '===' | '!==';

export const compare = (op: Comparison, a: Scalar, b: Scalar): boolean => {
  switch (op) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '===':
      return a === b;
    case '!==':
      return a !== b;
  }
};

/** Whether two values are one to the bit; all NaN are. */
export const sameScalar = (a: Scalar, b: Scalar): boolean => Object.is(a, b);
