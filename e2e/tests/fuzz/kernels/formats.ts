import { quantFormats } from '@filigree/quant';
import type { Format } from '@filigree/sparse/fields';
import type { Draw } from '../draw.js';
import { bitsOf, isFloat, isSigned, type FloatType, type IntegerType, type ScalarType } from './scalars.js';

/** How numbers are stored in few bits, as data. */
export type FormatCode =
  | { readonly name: 'int'; readonly bits: number; readonly signed: boolean }
  | { readonly name: 'fixed'; readonly bits: number; readonly range: number; readonly signed: boolean }
  | {
      readonly name: 'float';
      readonly exponent: number;
      readonly fraction: number;
      readonly signed: boolean;
      readonly shared?: string;
    };

export const WORDS = [8, 16, 32, 64] as const;

export type Word = (typeof WORDS)[number];

/** A format for a type of at most so many bits. */
export const drawFormat = (d: Draw, type: ScalarType, most: number): FormatCode => {
  for (;;) {
    const code = isFloat(type) ? drawOfFloats(d, type, most) : drawInt(d, type, most);
    const format = formatOf(code);
    if (format.bits <= most && format.refuses(type) === undefined) return code;
  }
};

/** Two floats or more that have an exponent in common, in at most so many bits; nothing where these are too few. */
export const drawShared = (
  d: Draw,
  type: FloatType,
  count: number,
  most: number,
  shared: string,
): FormatCode | undefined => {
  const exponent = 1 + d.int(type === 'f32' ? 7 : 10);
  const signed = d.chance(0.7);
  const room = Math.floor((most - exponent) / count) - (signed ? 1 : 0);
  if (room < 1) return undefined;
  return { name: 'float', exponent, fraction: 1 + d.int(Math.min(room, type === 'f32' ? 24 : 53)), signed, shared };
};

const drawInt = (d: Draw, type: IntegerType, most: number): FormatCode => ({
  name: 'int',
  bits: 1 + d.int(Math.min(most, bitsOf(type))),
  signed: isSigned(type) && d.chance(0.7),
});

const drawOfFloats = (d: Draw, type: FloatType, most: number): FormatCode => {
  const signed = d.chance(0.7);
  const isF32 = type === 'f32';
  if (most < 2 || d.chance(0.6)) {
    const bits = 1 + d.int(Math.min(most, isF32 ? 32 : 53));
    return { name: 'fixed', bits, range: d.of([1, 2, 0.5, 16, 64, 1024, 3, 0.1, 1000.7]), signed };
  }
  return { name: 'float', exponent: 1 + d.int(isF32 ? 8 : 11), fraction: d.int(isF32 ? 24 : 53), signed };
};

export const formatOf = ({ name, ...attrs }: FormatCode): Format => quantFormats[name](attrs as never);

export const printFormat = (f: FormatCode): string => {
  const sign = f.signed ? [] : ['signed: false'];
  switch (f.name) {
    case 'int':
      return `int(${f.bits}${optionsText(sign)})`;
    case 'fixed':
      return `fixed(${f.bits}, ${f.range}${optionsText(sign)})`;
    case 'float': {
      const shared = f.shared === undefined ? [] : [`shared: '${f.shared}'`];
      return `float(${f.exponent}, ${f.fraction}${optionsText([...sign, ...shared])})`;
    }
  }
};

const optionsText = (options: readonly string[]): string => (options.length > 0 ? `, { ${options.join(', ')} }` : '');
