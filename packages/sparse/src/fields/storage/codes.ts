import type { Stored } from '../layout/format.js';

/** The code that stands in a word. */
export const codeIn = ({ format, wordBits, shift }: Stored, word: number | bigint): number | bigint => {
  if (wordBits < 64) return format.bits === 32 ? Number(word) : (Number(word) >>> shift) & (2 ** format.bits - 1);
  const code = (BigInt(word) >> BigInt(shift)) & ((1n << BigInt(format.bits)) - 1n);
  return format.bits > 32 ? code : Number(code);
};

/** A word in which another code stands. */
export const withCode = (
  { format, wordBits, shift }: Stored,
  word: number | bigint,
  code: number | bigint,
): number | bigint => {
  const mask = ((1n << BigInt(format.bits)) - 1n) << BigInt(shift);
  if (wordBits === 64) return (BigInt(word) & ~mask) | (BigInt(code) << BigInt(shift));
  if (format.bits === 32) return code;
  return ((Number(word) & ~Number(mask)) | (Number(code) << shift)) >>> 0;
};
