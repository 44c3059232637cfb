import { isFloat, type ScalarType } from '@filigree/ir';
import { fixed, float, int } from '@filigree/quant/formats';
import { componentsOf, type AnyField, type Format } from '@filigree/sparse/fields';

/** What runs showed of a field. */
export interface Surveyed {
  readonly field: AnyField;
  readonly least: number;
  readonly greatest: number;
}

/**
 * How far each output goes off, relative to it, if each number that is stored of a field is off by at most half of: 1, itself, or the largest
 * component of its vector.
 */
export interface Sensitivity {
  readonly absolute: readonly number[];
  readonly relative: readonly number[];
  readonly joint: readonly number[];
}

/** A way to store a field. */
export interface Choice {
  readonly field: AnyField;
  /** As it is to be written; nothing for a field that stays as it is. */
  readonly text?: string;
  readonly format?: Format;
  /** Bits of one component, and of what all of them share. */
  readonly bits: number;
  readonly joint: number;
  /** What rounding is to do to each output, relative to it. */
  readonly errors: readonly number[];
}

/** Ways to store a field, from few bits to many. */
export type Ladder = readonly Choice[];

/** A field as it is. */
export const asItIs = (field: AnyField, outputs: number): Choice => ({
  field,
  bits: BITS[field.type],
  joint: 0,
  errors: new Array<number>(outputs).fill(0),
});

/** An integer field in as many bits as it needs. */
export const integerLadder = ({ field, least, greatest }: Surveyed, outputs: number): Ladder => {
  const signed = least < 0;
  const values = signed ? 2 * Math.max(greatest + 1, -least) : greatest + 1;
  const bits = Math.max(1, Math.ceil(Math.log2(values)));
  if (bits >= BITS[field.type]) return [asItIs(field, outputs)];
  const format = int(bits, { signed });
  const text = `int(${bits}${signed ? '' : ', { signed: false }'})`;
  return [{ ...asItIs(field, outputs), format, text, bits }];
};

/** The ladders of a field of floats: fixed point, floating point, and for vectors of few components floating point with one exponent. */
export const floatLadders = ({ field, least, greatest }: Surveyed, by: Sensitivity): readonly Ladder[] => {
  const size = componentsOf(field).length;
  const signed = least < 0;
  const most = Math.max(greatest, -least, 1e-30);
  const sign = signed ? 1 : 0;
  const unsigned = signed ? '' : ', { signed: false }';
  const range = 2 ** Math.ceil(Math.log2(MARGIN * most));
  const digits = field.type === 'f64' ? 48 : 24;
  const usable = (choice: Choice): boolean =>
    choice.format !== undefined && choice.format.refuses(field.type) === undefined && fits(choice);
  const fits = (choice: Choice): boolean =>
    choice.bits < BITS[field.type] && (choice.joint === 0 || bitsOf(choice) <= 64);
  const ladder = (from: number, to: number, of: (precision: number) => Choice): Ladder =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => of(from + n)).filter(usable);
  const times = (errors: readonly number[], by: number): readonly number[] => errors.map((e) => e * by);
  /** Bits of an exponent with which numbers reach from the greatest down to so many powers of two below it. */
  const exponentFor = (below: number): number => {
    let bits = 2;
    while (bits < 8 && !(Math.log2(MARGIN * most) < 2 ** (bits - 1) && Math.log2(most) - below >= 2 - 2 ** (bits - 1)))
      bits++;
    return bits;
  };
  const fixedPoint = ladder(3, digits, (bits) => ({
    field,
    format: fixed(bits, range, { signed }),
    text: `fixed(${bits}, ${range}${unsigned})`,
    bits,
    joint: 0,
    errors: times(by.absolute, range / 2 ** (bits - sign)),
  }));
  const floating = ladder(1, digits - 4, (fraction) => {
    const exponent = exponentFor(fraction + 1);
    return {
      field,
      format: float(exponent, fraction, { signed }),
      text: `float(${exponent}, ${fraction}${unsigned})`,
      bits: exponent + fraction + sign,
      joint: 0,
      errors: times(by.relative, 2 ** -fraction),
    };
  });
  const shared = ladder(2, digits, (fraction) => {
    const exponent = Math.min(7, exponentFor(6));
    return {
      field,
      format: float(exponent, fraction, { signed, shared: field.name }),
      text: `float(${exponent}, ${fraction}, { ${signed ? '' : 'signed: false, '}shared: '${field.name}' })`,
      bits: fraction + sign,
      joint: exponent,
      errors: times(by.joint, 2 ** (1 - fraction)),
    };
  });
  return [fixedPoint, floating, ...(size > 1 && size <= 4 ? [shared] : [])].filter((l) => l.length > 0);
};

/** Bits that a choice takes in all. */
export const bitsOf = ({ field, bits, joint }: Choice): number => joint + bits * componentsOf(field).length;

/** Whether search has something to choose for a field. */
export const isOfFloats = (field: AnyField): boolean => isFloat(field.type);

/** Room above what was seen: other inputs may reach a little further. */
const MARGIN = 1.05;

const BITS: Readonly<Record<ScalarType, number>> = {
  ...{ i1: 8, i8: 8, u8: 8, i16: 16, u16: 16, i32: 32, u32: 32, f32: 32, i64: 64, u64: 64, f64: 64 },
};

/** Ladders of a field, the one first that needs the fewest bits for an error. */
export const cheapestFirst = (ladders: readonly Ladder[], error: number): readonly Ladder[] => {
  const bitsFor = (ladder: Ladder): number => {
    const step = ladder.find(({ errors }) => errors.every((e) => e <= error));
    return step ? bitsOf(step) : Infinity;
  };
  return [...ladders].sort((a, b) => Math.sign(bitsFor(a) - bitsFor(b)) || 0);
};
