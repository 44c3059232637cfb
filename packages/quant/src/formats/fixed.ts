import { checkOptions, fail, type Builder, scalarOf, type ScalarType, type Value } from '@filigree/ir';
import { codeType, type Format } from '@filigree/sparse/fields';
import { checkedBits } from './checks.js';
import { emitExactHalves, exactHalves } from './exact-halves.js';
import { addendOf, emitAddend } from './fixed-addend.js';
import { lowest, signExtended, signSpec, type SignOptions } from './int.js';
import { asFloat, countsFromHalves, countsInLowestBits, halfAway } from './rounding.js';
import { isPowerOfTwo, scaleOf, type Ends, type Scale } from './scale.js';

/**
 * Numbers at equal steps (thesis §5.5.3): [-range, range) in 2ᵇⁱᵗˢ codes, or [0, range) where they are unsigned. A number is stored as
 * the nearest of them, halves away from zero; what is outside as the nearest end, NaN as 0. Atomic sums add whole steps, and wrap. Errors: `layout/format` for
 * bits that are not 1 to 53, a range that is not above zero, or infinite; `option/…`.
 */
export const fixed = (bits: number, range: number, options?: SignOptions): Format => {
  checkedBits('fixed', 'bits', bits, 1, 53);
  const { signed = true } = checkOptions('fixed', options, signSpec);
  if (typeof range !== 'number' || !(range > 0) || range === Infinity)
    fail('layout/format', `fixed() was given ${String(range)} as range`, { remedy: 'give a number above 0' });
  const scales = { f32: scaleOf(bits, range, signed, 'f32'), f64: scaleOf(bits, range, signed, 'f64') };
  const scale = (type: ScalarType): Scale => scales[type === 'f64' ? 'f64' : 'f32'];
  return {
    name: 'fixed',
    attrs: { bits, range, ...(!signed && { signed }) },
    bits,
    refuses: (type) => refusal(type, bits, range, scale(type)),
    encode: (value, type) => {
      const steps = nearest(Number(value), scale(type));
      return bits > 32 ? BigInt.asUintN(bits, BigInt(steps)) : steps < 0 ? steps + 2 ** bits : steps;
    },
    addend: {
      encode: (value, type) => {
        const code = BigInt.asUintN(bits, addendOf(Number(value), scale(type)));
        return bits > 32 ? code : Number(code);
      },
      emitEncode: (b, value) => {
        const code = codeType(bits);
        return lowest(b, b.cast(emitAddend(b, value, scale(scalarOf(value.type))), code), bits, code);
      },
    },
    decode: (code, type) => {
      const { most, step } = scale(type);
      const steps = Number(code) > most ? Number(code) - 2 ** bits : Number(code);
      const value = steps * step;
      return type === 'f32' ? Math.fround(value) : value;
    },
    emitEncode: (b, value) => emitNearest(b, value, scale(scalarOf(value.type))),
    emitDecode: (b, code, type) => {
      const { step, exactInF32 } = scale(type);
      const of = exactInF32 ? 'f32' : 'f64';
      const count = signed ? signExtended(b, code, bits) : code;
      return b.cast(b.mul(b.cast(count, of), b.constant(step, of)), type);
    },
  };
};

/** The number of steps that is nearest to a value. */
const nearest = (value: number, scale: Scale): number => {
  const halves = scale.exact ? exactHalves(value, scale) : Math.trunc(value * scale.perHalf);
  const { least, most } = scale;
  const within = Math.min(Math.max(halves, 2 * least), 2 * most);
  return Number.isNaN(within) ? 0 : Math.trunc((within + Math.sign(within)) / 2) + 0;
};

const emitNearest = (b: Builder, value: Value, scale: Scale): Value => {
  const { bits, least, ends } = scale;
  const code = codeType(bits);
  const steps = ends ? emitRounded(b, emitWithin(b, value, ends), scale) : emitExact(b, value, scale);
  const word = steps.type === code ? steps : b.cast(steps, code);
  return least < 0 ? lowest(b, word, bits, code) : word;
};

/** What is outside is cut to the ends while it is a float, of which a register holds more than of what it becomes. */
const emitWithin = (b: Builder, value: Value, { type, low, high }: Ends): Value => {
  const end = (n: number): Value => b.constant(n, type);
  const x = orZero(b, asFloat(b, value, type));
  const above = b.select(b.cmp('gt', x, end(low)), x, end(low));
  return b.select(b.cmp('lt', above, end(high)), above, end(high));
};

/**
 * The nearest number of steps to one between the ends. Products that are exact are rounded by `halfAway`. Other products are those with
 * `perStepUp`: no number is in the middle any more, so that any rounding does. Between what a
 * program computes and the product stands a choice, so that compilers with fast arithmetic do not join them.
 */
const emitRounded = (b: Builder, within: Value, { bits, least, narrow, perStepUp, perHalf }: Scale): Value => {
  if (perStepUp !== undefined) return countsInLowestBits(b, b.mul(asFloat(b, within, 'f64'), b.f64(perStepUp)));
  const of = narrow ? 'f32' : 'f64';
  const x = asFloat(b, within, of);
  const away = halfAway(b, x, of, least < 0);
  const sum = b.add(b.mul(x, b.constant(perHalf / 2, of)), away);
  return b.value('arith.cast', [sum], { to: bits > 31 ? 'i64' : 'i32', fits: true });
};

/** Integers decide: an i64. */
const emitExact = (b: Builder, value: Value, scale: Scale): Value => {
  const count = (n: number): Value => b.constant(BigInt(n), 'i64');
  const { type, least, most } = scale;
  const x = type === 'f32' ? b.cast(value, 'f64') : orZero(b, value);
  const within = b.min(b.max(emitExactHalves(b, x, scale), count(2 * least)), count(2 * most));
  return countsFromHalves(b, within, least < 0);
};

const orZero = (b: Builder, x: Value): Value => b.select(b.cmp('eq', x, x), x, b.constant(0, x.type));

const refusal = (type: ScalarType, bits: number, range: number, scale: Scale): string | undefined => {
  if (type !== 'f32' && type !== 'f64') return 'it is for f32 and f64; int is for integers';
  if (type === 'f32' && bits > 32) return 'f32 does not hold numbers of more than 32 bits';
  const { step, perHalf, range: held } = scale;
  const [normal, largest] = type === 'f32' ? [2 ** -126, 3.4028234663852886e38] : [2 ** -1022, Number.MAX_VALUE];
  /* Subnormal numbers count as zero: with half a step that is none of them they are nearest to it, whoever has made them zero before. */
  if (!(step >= 2 * normal && perHalf <= largest && perHalf >= normal && held <= largest / 2))
    return `its range ${range} is too small or too large for ${type}`;
  return type === 'f64' && bits > 48 && !isPowerOfTwo(range)
    ? `more than 48 bits need a range that is a power of two, not ${range}`
    : undefined;
};
