import type { Scalar } from '@filigree/ir';
import { decoded, encoded, summed } from '../layout/ambient.js';
import type { FieldDecl } from '../layout/field-decl.js';
import type { Stored } from '../layout/format.js';

/** The value of a field in a word. */
export const valueIn = ({ type }: FieldDecl, stored: Stored, word: number | bigint): Scalar => {
  const code = bitsIn(stored, stored.shift, stored.format.bits, word);
  if (!stored.joint) return decoded(stored, type, code);
  const { by, shift } = stored.joint;
  return by.decode(code, bitsIn(stored, shift, by.bits, word), type);
};

/** Where the value at an address lies in an array of words, and in its word: elements of a bit array begin at bits. */
export const slotAt = <S extends Stored | undefined>(
  stored: S,
  address: number,
  bytes: number,
): { readonly index: number; readonly stored: S } => {
  if (!stored?.inArray) return { index: address / bytes, stored };
  const index = Math.floor(address / bytes);
  return { index, stored: { ...stored, shift: 8 * (address - index * bytes) } };
};

/** A value to be written to a field. */
export interface Writing {
  readonly field: FieldDecl;
  readonly stored: Stored;
  readonly value: Scalar;
}

/** A word in which fields have other values, written at once. */
export const withValues = (word: number | bigint, writings: readonly Writing[]): number | bigint => {
  let made = word;
  const done = new Set<string>();
  for (const { field, stored, value } of writings) {
    if (!stored.joint) {
      made = withBits(stored, stored.shift, stored.format.bits, made, encoded(stored, field.type, value));
      continue;
    }
    const { by, shift, members } = stored.joint;
    if (done.has(by.name)) continue;
    done.add(by.name);
    const values = members.map((m) => {
      const written = writings.findLast((w) => w.field.name === m.field.name);
      return Number(written ? written.value : valueIn(m.field, { ...stored, shift: m.shift }, word));
    });
    const { shared, codes } = by.encode(values, field.type);
    made = withBits(stored, shift, by.bits, made, shared);
    members.forEach((m, k) => {
      made = withBits(stored, m.shift, stored.format.bits, made, codes[k]);
    });
  }
  return made;
};

/** A word in which a value was added to a field whose format adds codes. */
export const withSum = (word: number | bigint, { field, stored, value }: Writing): number | bigint => {
  const { shift, format } = stored;
  const code = summed(stored, field.type, bitsIn(stored, shift, format.bits, word), value);
  return withBits(stored, shift, format.bits, word, code);
};

/** Bits of a word; numbers where they are at most 32. */
const bitsIn = ({ wordBits }: Stored, shift: number, bits: number, word: number | bigint): number | bigint => {
  if (wordBits < 64) return bits === 32 ? Number(word) : (Number(word) >>> shift) & (2 ** bits - 1);
  const code = (BigInt(word) >> BigInt(shift)) & ((1n << BigInt(bits)) - 1n);
  return bits > 32 ? code : Number(code);
};

/** A word in which other bits stand. */
const withBits = (
  { wordBits }: Stored,
  shift: number,
  bits: number,
  word: number | bigint,
  code: number | bigint,
): number | bigint => {
  const mask = ((1n << BigInt(bits)) - 1n) << BigInt(shift);
  if (wordBits === 64) return (BigInt(word) & ~mask) | (BigInt(code) << BigInt(shift));
  if (bits === 32) return code;
  return ((Number(word) & ~Number(mask)) | (Number(code) << shift)) >>> 0;
};
