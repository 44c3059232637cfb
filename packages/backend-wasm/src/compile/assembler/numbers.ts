import type { Bytes } from './bytes.js';
import type { Tokens } from './tokens.js';

/** An integer of 64 bits, signed or not, decimal or hexadecimal. */
export const integer64 = (t: Tokens): bigint => {
  const word = t.word.replaceAll('_', '');
  const negative = word.startsWith('-');
  const digits = word.replace(/^[+-]/, '');
  if (!/^(\d+|0x[0-9a-fA-F]+)$/.test(digits)) t.refuse('expected an integer');
  t.next();
  return negative ? -BigInt(digits) : BigInt(digits);
};

/** An integer of 32 bits. */
export const integer32 = (t: Tokens): number => {
  const plain = Number(t.word);
  if (Number.isInteger(plain) && t.word !== '') {
    t.next();
    return plain | 0;
  }
  return Number(BigInt.asIntN(32, integer64(t)));
};

/** A number of 32 bits; `nan:0x…` gives the bits behind the exponent. */
export const number32 = (t: Tokens, out: Bytes): void => {
  const bits = payload(t);
  if (bits === undefined) out.f32(floating(t));
  else {
    const word = Number(0x7f800000n | bits.bits) | (bits.negative ? 0x80000000 : 0);
    for (let byte = 0; byte < 4; byte++) out.byte((word >>> (8 * byte)) & 0xff);
  }
};

/** A number of 64 bits. */
export const number64 = (t: Tokens, out: Bytes): void => {
  const bits = payload(t);
  if (bits === undefined) out.f64(floating(t));
  else {
    const word = 0x7ff0000000000000n | bits.bits | (bits.negative ? 1n << 63n : 0n);
    for (let byte = 0n; byte < 8n; byte++) out.byte(Number((word >> (8n * byte)) & 0xffn));
  }
};

/* JavaScript does not keep signs and payloads of NaN, so their bits are written. */
const payload = (t: Tokens): { readonly negative: boolean; readonly bits: bigint } | undefined => {
  const found = /^([+-]?)nan:(0x[0-9a-fA-F]+)$/.exec(t.word);
  if (!found) return undefined;
  t.next();
  return { negative: found[1] === '-', bits: BigInt(found[2]!) };
};

const floating = (t: Tokens): number => {
  const word = t.word.replaceAll('_', '');
  const negative = word.startsWith('-');
  const digits = word.replace(/^[+-]/, '');
  const value =
    digits === 'inf' ? Infinity : digits === 'nan' ? NaN : /^0x|^[\d.]/.test(digits) ? magnitude(digits) : undefined;
  if (value === undefined || (Number.isNaN(value) && digits !== 'nan')) return t.refuse('expected a number');
  t.next();
  return negative ? -value : value;
};

/* Hexadecimal with a fraction or an exponent of two, which JavaScript does not read. */
const magnitude = (digits: string): number => {
  const hex = /^0x([0-9a-fA-F]*)\.?([0-9a-fA-F]*)(?:[pP]([+-]?\d+))?$/.exec(digits);
  if (!hex) return Number(digits);
  const [, whole = '', fraction = '', exponent = '0'] = hex;
  return Number(BigInt(`0x${whole}${fraction}` || '0x0')) * 2 ** (Number(exponent) - 4 * fraction.length);
};
