import { byteSize, fail, type ScalarType } from '@filigree/ir';

/** A number of bits that a format is given. */
export const checkedBits = (format: string, what: string, bits: unknown, least: number, most: number): void => {
  if (!Number.isInteger(bits) || (bits as number) < least || (bits as number) > most)
    fail('layout/format', `${format}() was given ${String(bits)} as ${what}`, {
      remedy: `give a whole number from ${least} to ${most}`,
    });
};

/** Bits of a number of a type. */
export const widthOf = (type: ScalarType): number => 8 * byteSize(type);
