import { fail, type Attr, type Attrs } from '@filigree/ir';
import type { Formats } from '@filigree/sparse/fields';
import { fixed } from './fixed.js';
import { float } from './float.js';
import { int, type SignOptions } from './int.js';

/** The formats of this package by the names that `.fil` calls them, of what stands there: `fixed {bits = 10, range = 2}`. */
export const quantFormats: Formats = {
  int: (attrs) => {
    const { bits, ...rest } = known('int', attrs, ['bits']);
    return int(bits as number, rest);
  },
  fixed: (attrs) => {
    const { bits, range, ...rest } = known('fixed', attrs, ['bits', 'range']);
    return fixed(bits as number, range as number, rest);
  },
  float: (attrs) => {
    const { exponent, fraction, ...rest } = known('float', attrs, ['exponent', 'fraction', 'shared']);
    return float(exponent as number, fraction as number, rest);
  },
};

/** Attributes of which there are no others; the formats look at their values. */
const known = (
  format: string,
  attrs: Attrs,
  names: readonly string[],
): Readonly<Record<string, Attr>> & SignOptions => {
  const all = [...names, 'signed'];
  const odd = Object.keys(attrs).find((name) => !all.includes(name));
  if (odd !== undefined)
    fail('layout/format', `the format ${format} has no attribute '${odd}'`, { remedy: `use ${all.join(', ')}` });
  return attrs as Readonly<Record<string, Attr>> & SignOptions;
};
