import { fail } from '@filigree/ir';
import {
  bitStruct,
  componentsOf,
  stored,
  type AnyField,
  type BitStruct,
  type Format,
  type WordBits,
} from '@filigree/sparse/fields';

/**
 * All components of fields in one format, as many in each word as fit, in order: `place(...packed(32, fixed(16, 4), F))`. Error:
 * `layout/format` where a word has no room for one.
 */
export const packed = (bits: WordBits, format: Format, ...fields: readonly AnyField[]): readonly BitStruct[] => {
  const all = fields.flatMap(componentsOf).map((component) => stored(component, format));
  const each = Math.floor(bits / format.bits);
  if (each === 0)
    fail('layout/format', `a word of ${bits} bits has no room for ${format.bits}`, { remedy: 'use a larger word' });
  return Array.from({ length: Math.ceil(all.length / each) }, (_, word) =>
    bitStruct(bits, ...all.slice(word * each, (word + 1) * each)),
  );
};
