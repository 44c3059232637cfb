import { arrayConstructor, byteSize, isFloat, isSigned, isWide } from '@filigree/ir';

/*
 * Scalars in JavaScript: floats and integers of up to 32 bits are numbers, those of 64 bits BigInts, truth values booleans, which take a byte in
 * memory.
 */

/** What an operation gives, brought into the range of its type. */
export const brought = (type, text) => bring[type](text);

const bring = {
  i1: (x) => x,
  i8: (x) => `((${x}) << 24 >> 24)`,
  i16: (x) => `((${x}) << 16 >> 16)`,
  i32: (x) => `((${x}) | 0)`,
  i64: (x) => `BigInt.asIntN(64, ${x})`,
  u8: (x) => `((${x}) & 0xff)`,
  u16: (x) => `((${x}) & 0xffff)`,
  u32: (x) => `((${x}) >>> 0)`,
  u64: (x) => `BigInt.asUintN(64, ${x})`,
  f32: (x) => `fround(${x})`,
  f64: (x) => x,
};

/** A constant. */
export const literal = (type, value) => {
  if (type === 'i1') return String(Boolean(value));
  if (isWide(type)) return `${BigInt(value)}n`;
  return Object.is(Number(value), -0) ? '-0' : String(Number(value));
};

/** What lies in memory as a value, and the other way round. */
export const loaded = (type, text) => (type === 'i1' ? `(${text} !== 0)` : text);
export const stored = (type, text) => (type === 'i1' ? `(${text} ? 1 : 0)` : text);

/** A value of one type as one of another. */
export const cast = (from, to, x) => {
  if (from === to) return x;
  const zero = isWide(from) ? '0n' : '0';
  if (to === 'i1') return `(${x} !== ${zero})`;
  if (from === 'i1') return isWide(to) ? `(${x} ? 1n : 0n)` : `(${x} ? 1 : 0)`;
  if (isFloat(to)) return isWide(from) ? `${to === 'f32' ? 'single' : 'Number'}(${x})` : brought(to, x);
  if (isFloat(from)) return `saturated(${x}, ${limits(to).join(', ')}, ${isWide(to) ? 'BigInt' : 'Number'})`;
  if (isWide(to)) return brought(to, isWide(from) ? x : `BigInt(${x})`);
  return brought(to, isWide(from) ? `Number(BigInt.asIntN(32, ${x}))` : x);
};

const limits = (type) => {
  const bits = 8 * byteSize(type);
  const [lo, hi] = isSigned(type)
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n];
  return [literal(type, lo), literal(type, hi)];
};

/** The name of the arrays that hold values of a type, through which bits are seen as another type, too. */
export const arrayOf = (type) => arrayConstructor(type).name;
