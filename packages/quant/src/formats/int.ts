import {
  checkOptions,
  isFloat,
  isWide,
  option,
  type Builder,
  type OptionSpec,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { codeType, type Addend, type Format } from '@filigree/sparse/fields';
import { checkedBits, widthOf } from './checks.js';

/** Whether a format has negative numbers; it has unless this says no. */
export interface SignOptions {
  readonly signed?: boolean;
}

/**
 * Integers of some bits, two's complement where they are signed (thesis §5.4.3). What does not fit wraps, as integers do.
 * Errors: `layout/format` for bits that are not 1 to 64, `option/…`.
 */
export const int = (bits: number, options?: SignOptions): Format => {
  checkedBits('int', 'bits', bits, 1, 64);
  const { signed = true } = checkOptions('int', options, signSpec);
  const cut = signed ? BigInt.asIntN : BigInt.asUintN;
  const coded: Addend = {
    encode: (value) => {
      const code = BigInt.asUintN(bits, BigInt(value));
      return bits > 32 ? code : Number(code);
    },
    emitEncode: (b, value) => {
      const type = codeType(bits);
      return lowest(b, b.cast(value, type), bits, type);
    },
  };
  return {
    name: 'int',
    attrs: { bits, ...(!signed && { signed }) },
    bits,
    refuses: (type) => refusal(type, bits, signed),
    ...coded,
    addend: coded,
    decode: (code, type) => {
      const value = cut(bits, BigInt(code));
      return isWide(type) ? value : Number(value);
    },
    emitDecode: (b, code, type) => b.cast(signed ? signExtended(b, code, bits) : code, type),
  };
};

/** What formats take beside their bits. */
export const signSpec: OptionSpec<SignOptions> = { signed: option.truth };

/** A code of two's complement as an i32, or as an i64 where it has more than 32 bits. */
export const signExtended = (b: Builder, code: Value, bits: number): Value => {
  const type = bits > 32 ? 'i64' : 'i32';
  const whole = b.cast(code, type);
  const above = (bits > 32 ? 64 : 32) - bits;
  if (above === 0) return whole;
  const by = b.constant(above, type);
  return b.shr(b.shl(whole, by), by);
};

/** The lowest bits of an unsigned number. */
export const lowest = (b: Builder, value: Value, bits: number, type: 'u32' | 'u64'): Value =>
  bits === (type === 'u64' ? 64 : 32)
    ? value
    : b.and(value, b.constant(type === 'u64' ? (1n << BigInt(bits)) - 1n : 2 ** bits - 1, type));

const refusal = (type: ScalarType, bits: number, signed: boolean): string | undefined => {
  if (isFloat(type)) return 'it is for integers; fixed and float are for numbers with a fraction';
  if (type === 'i1') return 'it is for integers';
  const [width, negative] = [widthOf(type), type.startsWith('i')];
  if (signed && !negative) return `its numbers can be negative, those of ${type} cannot`;
  return bits > (signed || !negative ? width : width - 1)
    ? `${type} does not hold ${signed ? 'signed' : 'unsigned'} integers of ${bits} bits`
    : undefined;
};
