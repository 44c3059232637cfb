import {
  checkOptions,
  fail,
  option,
  scalarOf,
  type Builder,
  type OptionSpec,
  type ScalarType,
  type Value,
} from '@filigree/ir';
import { codeType, type Format } from '@filigree/sparse/fields';
import { checkedBits } from './checks.js';
import { signSpec, type SignOptions } from './int.js';
import { sharedExponent } from './shared-exponent.js';
import { ieeeOf, type Ieee } from './ieee.js';

/**
 * Floating-point numbers of few bits (thesis §5.5.3): from the highest bit down a sign, unless they are unsigned, the exponent
 * with the bias 2ᵉ⁻¹ - 1, the fraction. An exponent of 0 is zero: there are no subnormal numbers, and no infinities. A number is stored
 * as the nearest, halves away from zero, whose exponent may be the next one; then as zero if it is too small, and as the largest if
 * it is too large. NaN is 0, and so is what is negative where there is no sign.
 *
 * With `shared` all floats of a bit struct that say the same name there have one exponent, which the largest of them chooses, and
 * `fraction` digits each, the leading ones among them. Errors: `layout/format` for bits out of bounds, `option/…`.
 */
export const float = (exponent: number, fraction: number, options?: FloatOptions): Format => {
  const { signed = true, shared } = checkOptions('float', options, floatSpec);
  if (shared !== undefined) return floatOfGroup(exponent, fraction, signed, shared);
  checkedBits('float', 'bits of the exponent', exponent, 1, 11);
  checkedBits('float', 'bits of the fraction', fraction, 0, 52);
  const shape: Shape = { exponent, fraction, signed };
  const bits = exponent + fraction + (signed ? 1 : 0);
  const [inF32, inF64] = [constantsOf(shape, ieeeOf('f32')), constantsOf(shape, ieeeOf('f64'))];
  const of = (type: ScalarType): Constants => (type === 'f64' ? inF64 : inF32);
  return {
    name: 'float',
    attrs: { exponent, fraction, ...(!signed && { signed }) },
    bits,
    refuses: (type) => refusal(type, shape),
    encode: (value, type) => {
      const code = codeOf(ieeeOf(type).bitsOf(Number(value)), of(type));
      return bits > 32 ? code : Number(code);
    },
    decode: (code, type) => ieeeOf(type).numberOf(bitsOf(BigInt(code), of(type))),
    emitEncode: (b, value) => b.cast(emitCode(b, value, of(scalarOf(value.type))), codeType(bits)),
    emitDecode: (b, code, type) => emitBits(b, code, of(type)),
  };
};

/** What a float may be told besides its bits. */
export interface FloatOptions extends SignOptions {
  /** The name of the exponent that it shares with others of its bit struct. */
  readonly shared?: string;
}

const floatSpec: OptionSpec<FloatOptions> = { ...signSpec, shared: option.text };

const floatOfGroup = (exponent: number, digits: number, signed: boolean, shared: string): Format => {
  checkedBits('float', 'bits of a shared exponent', exponent, 1, 10);
  checkedBits('float', 'digits beside a shared exponent', digits, 1, 53);
  if (shared === '')
    fail('layout/format', "float() was given '' as the name of the exponent that it shares", {
      remedy: "name it: float(5, 9, { shared: 'velocity' })",
    });
  const notAlone = (): never =>
    fail('layout/format', `a float that shares the exponent '${shared}' has no code of its own`, {
      remedy: 'store it in a bit struct, and read the field',
    });
  return {
    name: 'float',
    attrs: { exponent, fraction: digits, ...(!signed && { signed }), shared },
    bits: digits + (signed ? 1 : 0),
    refuses: (type) => {
      if (type !== 'f32' && type !== 'f64') return 'it is for f32 and f64; int is for integers';
      const of = ieeeOf(type);
      if (exponent >= of.exponent)
        return `an exponent that is shared has fewer than the ${of.exponent} bits of ${type}, not ${exponent}`;
      return digits > of.fraction + 1 ? `a number of ${type} has ${of.fraction + 1} digits, not ${digits}` : undefined;
    },
    encode: notAlone,
    decode: notAlone,
    emitEncode: notAlone,
    emitDecode: notAlone,
    joint: sharedExponent(shared, { exponent, digits, signed }),
  };
};

interface Shape {
  readonly exponent: number;
  readonly fraction: number;
  readonly signed: boolean;
}

/** A shape in a type, with its constants, all as codes without sign. */
interface Constants extends Shape {
  readonly ieee: Ieee;
  /** Bits of a number that a code has not. */
  readonly dropped: bigint;
  /** What is to be added to a code for the bias of the type. */
  readonly rebias: bigint;
  readonly least: bigint;
  /** The largest number of both. */
  readonly most: bigint;
  /** Where the code has an exponent that the type keeps for infinities. */
  readonly wide: boolean;
}

const constantsOf = (shape: Shape, ieee: Ieee): Constants => {
  const { exponent, fraction } = shape;
  const bias = (1n << BigInt(exponent - 1)) - 1n;
  const all = (1n << BigInt(exponent + fraction)) - 1n;
  const wide = exponent === ieee.exponent;
  return {
    ...shape,
    ieee,
    dropped: BigInt(ieee.fraction - fraction),
    rebias: (ieee.bias - bias) << BigInt(fraction),
    least: 1n << BigInt(fraction),
    most: wide ? all - (1n << BigInt(fraction)) : all,
    wide,
  };
};

const codeOf = (word: bigint, shape: Constants): bigint => {
  const { ieee, dropped, rebias, least, most } = shape;
  const magnitude = word & (ieee.sign - 1n);
  if (magnitude > ieee.infinity || magnitude < ieee.leastNormal) return 0n;
  const rounded = dropped === 0n ? magnitude : (magnitude + (1n << (dropped - 1n))) >> dropped;
  const code = rounded - rebias;
  if (code < least) return 0n;
  const within = code > most ? most : code;
  if (magnitude === word) return within;
  return shape.signed ? within | (1n << BigInt(shape.exponent + shape.fraction)) : 0n;
};

const bitsOf = (code: bigint, shape: Constants): bigint => {
  const { ieee, dropped, rebias, least, most } = shape;
  const sign = 1n << BigInt(shape.exponent + shape.fraction);
  const magnitude = code & (sign - 1n);
  if (magnitude < least) return 0n;
  const within = magnitude > most ? most : magnitude;
  return ((within + rebias) << dropped) | (code >= sign ? ieee.sign : 0n);
};

/**
 * What `codeOf` does, on the bits of a value. One comparison, without sign, tells what is zero: below the least number that is rounded to one
 * of the format it wraps, and so ends above infinity, as NaN does, and a negative number where there is no sign.
 */
const emitCode = (b: Builder, value: Value, shape: Constants): Value => {
  const { ieee, dropped, rebias, least, most } = shape;
  const constant = (n: bigint): Value => ieee.constant(b, BigInt.asUintN(ieee.width, n));
  const word = b.bitcast(value, ieee.word);
  const magnitude = shape.signed ? b.and(word, constant(ieee.sign - 1n)) : word;
  const half = dropped === 0n ? 0n : 1n << (dropped - 1n);
  const lowest = ((rebias + least) << dropped) - half;
  const first = lowest < ieee.leastNormal ? ieee.leastNormal : lowest;
  const none = b.cmp('gt', b.sub(magnitude, constant(first)), constant(ieee.infinity - first));
  const code = b.min(b.shr(b.add(magnitude, constant(half - (rebias << dropped))), constant(dropped)), constant(most));
  const topDown = constant(BigInt(ieee.width - 1 - shape.exponent - shape.fraction));
  const sign = (): Value => b.shr(b.and(word, constant(ieee.sign)), topDown);
  return b.select(none, constant(0n), shape.signed ? b.or(code, sign()) : code);
};

/** What `bitsOf` does. A sign goes up with what it is copied to, and the copies are taken away. */
const emitBits = (b: Builder, code: Value, shape: Constants): Value => {
  const { ieee, dropped, rebias, least, most, wide } = shape;
  const constant = (n: bigint): Value => ieee.constant(b, n);
  const word = b.cast(code, ieee.word);
  const width = BigInt(shape.exponent + shape.fraction);
  const magnitude = (): Value => (shape.signed ? b.and(word, constant((1n << width) - 1n)) : word);
  const top = BigInt(ieee.width) - 1n - width;
  const signAndMagnitude = (): Value => {
    const within = wide ? b.min(magnitude(), constant(most)) : magnitude();
    const moved = b.shl(within, constant(dropped));
    return shape.signed ? b.or(moved, b.shl(b.and(word, constant(1n << width)), constant(top))) : moved;
  };
  const inPlace = (): Value => {
    const count = ieee.word === 'u64' ? 'i64' : 'i32';
    const whole = b.cast(b.shl(word, constant(top)), count);
    const moved = b.cast(b.shr(whole, b.cast(constant(top - dropped), count)), ieee.word);
    return b.and(moved, constant(ieee.sign | (((1n << width) - 1n) << dropped)));
  };
  const bits = b.add(shape.signed && !wide ? inPlace() : signAndMagnitude(), constant(rebias << dropped));
  const isZero = b.cmp('eq', b.and(word, constant((1n << width) - least)), constant(0n));
  return b.bitcast(b.select(isZero, constant(0n), bits), ieee.type);
};

const refusal = (type: ScalarType, { exponent, fraction }: Shape): string | undefined => {
  if (type !== 'f32' && type !== 'f64') return 'it is for f32 and f64; int is for integers';
  const of = ieeeOf(type);
  if (exponent > of.exponent) return `an exponent of ${type} has ${of.exponent} bits, not ${exponent}`;
  return fraction > of.fraction ? `a fraction of ${type} has ${of.fraction} bits, not ${fraction}` : undefined;
};
