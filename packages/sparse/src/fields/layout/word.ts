import type { Format, WordBits } from './format.js';

/** A word as a number: how the words of a bit array are stored, of which users say nothing. */
export const asWord = (bits: WordBits): Format => ({
  name: 'word',
  attrs: {},
  bits,
  refuses: () => undefined,
  encode: (value) => (bits === 64 ? BigInt(value) : Number(value)),
  decode: (code) => code,
  emitEncode: (_b, value) => value,
  emitDecode: (_b, code) => code,
});
