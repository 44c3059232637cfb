import { fail, type Attrs, type Builder, type ScalarType, type Value } from '@filigree/ir';
import { componentsOf, isField, type AnyField, type FieldDecl } from './field-decl.js';

/**
 * A way to store numbers as codes of some bits (thesis §5.1: custom data types). A field computes with its own type, and is
 * stored as a format says; kernels do not know of it.
 *
 * Laws: `encode` takes every value of the type; `decode(encode(decode(c)))` is `decode(c)` for every code; ops and functions
 * agree, bit by bit. Codes of at most 32 bits are numbers here and u32 in kernels, others bigints and u64.
 */
export interface Format {
  /** What `.fil` calls it, and with what: `fixed {bits = 10}`. */
  readonly name: string;
  readonly attrs: Attrs;
  /** Bits of a code, from 1 to 64. */
  readonly bits: number;
  /** Why a field that computes with this type cannot be stored so; nothing where it can. */
  readonly refuses: (type: ScalarType) => string | undefined;
  /** The code of a value of a type, which is not negative and has no more than `bits` bits. */
  readonly encode: (value: number | bigint, type: ScalarType) => number | bigint;
  /** The value of a type that a code stands for. */
  readonly decode: (code: number | bigint, type: ScalarType) => number | bigint;
  /** The same two as ops. */
  readonly emitEncode: (b: Builder, value: Value) => Value;
  readonly emitDecode: (b: Builder, code: Value, type: ScalarType) => Value;
}

/** Formats by the names that `.fil` calls them: of what stands there as attributes. They throw `layout/format`. */
export type Formats = Readonly<Record<string, (attrs: Attrs) => Format>>;

/** A field, and how a layout is to store it. */
export interface StoredField {
  readonly is: 'stored';
  readonly field: AnyField;
  readonly format: Format;
}

/** Fields that are to share a machine word. */
export interface BitStruct {
  readonly is: 'bit-struct';
  readonly bits: WordBits;
  readonly fields: readonly StoredField[];
}

/** Bits of a machine word. */
export type WordBits = 8 | 16 | 32 | 64;

/** What a layout can place in a cell. */
export type Placeable = AnyField | StoredField | BitStruct;

/** The scalar of a placed field, how it is stored where that is something else, and with which fields in one word. */
export interface PlaceSpec {
  readonly field: FieldDecl;
  readonly stored: Stored | undefined;
}

/** Where and how codes are stored. */
export interface Stored {
  readonly format: Format;
  /** The word: it has the name of the first field in it. */
  readonly word: string;
  readonly wordBits: WordBits;
  /** The lowest bit of the code in the word. */
  readonly shift: number;
  /** Whether other fields have bits in the word, or could have. */
  readonly shared: boolean;
}

/**
 * A field that is stored in a format: `dense(i, 100).place(stored(u, fixed(10, 2)))`. It has a word of its own, the smallest that
 * holds a code. Error: `layout/format` where the format does not suit what the field computes with.
 */
export const stored = (field: AnyField, format: Format): StoredField => {
  if (!isField(field))
    fail('layout/field', `stored() was given ${String(field)}, which is no field`, {
      remedy: "store what field('u', 'f32') makes",
    });
  if (typeof format?.encode !== 'function')
    fail('layout/format', `field '${field.name}' is stored as ${String(format)}, which is no format`);
  const problem = format.refuses(field.type);
  if (problem !== undefined)
    fail(
      'layout/format',
      `field '${field.name}' of type ${field.type} cannot be stored as ${format.name}: ${problem}`,
      {
        remedy: 'choose another format, or another type to compute with',
      },
    );
  return { is: 'stored', field, format };
};

/**
 * Fields that lie in one machine word, the first in its lowest bits: `bitStruct(32, stored(u, fixed(16, 1)), stored(v, …))`. Error:
 * `layout/format` where they take more bits than there are.
 */
export const bitStruct = (bits: WordBits, ...fields: readonly StoredField[]): BitStruct => {
  if (![8, 16, 32, 64].includes(bits))
    fail('layout/format', `a bit struct has 8, 16, 32 or 64 bits, not ${String(bits)}`);
  if (fields.length === 0 || fields.some((f) => f?.is !== 'stored'))
    fail('layout/format', 'a bit struct holds fields that say how they are stored', {
      remedy: 'write bitStruct(32, stored(u, format), …)',
    });
  const taken = fields.reduce((sum, f) => sum + componentsOf(f.field).length * f.format.bits, 0);
  if (taken > bits)
    fail(
      'layout/format',
      `${fields.map((f) => `'${f.field.name}'`).join(', ')} take ${taken} bits of a word of ${bits}`,
      {
        remedy: bits < 64 ? 'use a larger word, or smaller formats' : 'use two words, or smaller formats',
      },
    );
  return { is: 'bit-struct', bits, fields };
};

/** The scalars of what is placed. Error: `layout/field`. */
export const placesOf = (what: Placeable): readonly PlaceSpec[] => {
  switch (what?.is) {
    case 'stored':
      return componentsOf(what.field).map((field) => ({
        field,
        stored: { format: what.format, word: field.name, wordBits: wordFor(what.format.bits), shift: 0, shared: false },
      }));
    case 'bit-struct': {
      const all = what.fields.flatMap(({ field, format }) => componentsOf(field).map((c) => ({ field: c, format })));
      const word = all[0].field.name;
      return all.map(({ field, format }, n) => ({
        field,
        stored: {
          format,
          word,
          wordBits: what.bits,
          shift: all.slice(0, n).reduce((sum, f) => sum + f.format.bits, 0),
          shared: true,
        },
      }));
    }
    default:
      if (!isField(what))
        fail('layout/field', `place() was given ${String(what)}, which is no field`, {
          remedy: "place what field('u', 'f32') makes",
        });
      return componentsOf(what).map((field) => ({ field, stored: undefined }));
  }
};

const wordFor = (bits: number): WordBits => (bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64);
