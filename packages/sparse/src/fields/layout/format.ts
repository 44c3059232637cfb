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
  /** Where atomic sums add codes; without it they load, add values and store. */
  readonly addend?: Addend;
  /** What it shares with other fields of a word, so that its codes mean nothing without; then the four above are not asked. */
  readonly joint?: Joint;
}

/**
 * What an atomic operation adds to a code, modulo 2ᵇⁱᵗˢ, for a value that is added to a field. It depends on the value alone, so a sum
 * does not depend on the order of its terms, and memory can add codes. Laws: those of `encode` and `emitEncode`.
 */
export type Addend = Pick<Format, 'encode' | 'emitEncode'>;

/**
 * Something that fields of one bit struct share, as floats do an exponent. Their values are encoded together: a store to one of
 * them encodes the others again, of what they load as. Laws: those of `Format`, of the values of all.
 */
export interface Joint {
  /** Fields share it whose formats call it the same. */
  readonly name: string;
  /** Bits of what is shared. They lie below the first of the fields. */
  readonly bits: number;
  readonly encode: (values: readonly number[], type: ScalarType) => JointCodes<number | bigint>;
  readonly decode: (code: number | bigint, shared: number | bigint, type: ScalarType) => number;
  readonly emitEncode: (b: Builder, values: readonly Value[]) => JointCodes<Value>;
  readonly emitDecode: (b: Builder, code: Value, shared: Value, type: ScalarType) => Value;
}

/** The code of what is shared, and those of each field. */
export interface JointCodes<T> {
  readonly shared: T;
  readonly codes: readonly T[];
}

/** Formats by the names that `.fil` calls them: of what stands there as attributes. They throw `layout/format`. */
export type Formats = Readonly<Record<string, (attrs: Attrs) => Format>>;

declare module '@filigree/ir' {
  interface Extension {
    /** What `.fil` may say that fields are stored in. */
    readonly formats?: Formats;
  }
}

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
  /** The fields with which it is encoded, itself among them, and where what they share lies. */
  readonly joint?: JointPlace;
  /** Whether it is an element of a bit array: then cells begin at bits, and the code lies so many bits further on. */
  readonly inArray?: true;
  /** Of a place for whole words of a bit array: the elements that lie in them. */
  readonly elements?: ArrayElements;
}

/** What a word of a bit array is made of, the first element in its lowest bits. */
export interface ArrayElements {
  readonly field: FieldDecl;
  readonly format: Format;
  readonly count: number;
}

/** Where fields lie that are encoded together. */
export interface JointPlace {
  readonly by: Joint;
  /** The lowest bit of what they share. */
  readonly shift: number;
  readonly members: readonly { readonly field: FieldDecl; readonly shift: number }[];
}

/** What stands in a message for something that is no field. */
const textOf = (what: unknown): string => {
  if (Array.isArray(what)) return `a list of ${what.length}`;
  return typeof what === 'object' && what !== null && 'format' in what ? 'what stored() made' : String(what);
};

/**
 * A field that is stored in a format: `dense(i, 100).place(stored(u, fixed(10, 2)))`. It has a word of its own, the smallest that
 * holds a code. Error: `layout/format` where the format does not suit what the field computes with.
 */
export const stored = (field: AnyField, format: Format): StoredField => {
  if (!isField(field))
    fail('layout/field', `stored() was given ${textOf(field)}, which is no field`, {
      remedy: "store what field('u', 'f32') makes, once",
    });
  checkFormat(field, format);
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

/** Formats may be anybody's, and are asked while programs are compiled and run. */
const checkFormat = (field: AnyField, format: Format): void => {
  if (typeof format !== 'object' || format === null)
    fail('layout/format', `field '${field.name}' is stored as ${String(format)}, which is no format`, {
      remedy: 'give one, such as int(8), fixed(16, 1) or float(5, 10)',
    });
  const { name, attrs, bits } = format;
  const missing = (['refuses', 'encode', 'decode', 'emitEncode', 'emitDecode'] as const).filter(
    (part) => typeof format[part] !== 'function',
  );
  const wrong = [
    ...(typeof name === 'string' ? [] : ['a name']),
    ...(typeof attrs === 'object' && attrs !== null ? [] : ['attrs']),
    ...(Number.isInteger(bits) && bits >= 1 && bits <= 64 ? [] : ['bits from 1 to 64']),
    ...missing.map((part) => `${part}()`),
  ];
  if (wrong.length > 0)
    fail('layout/format', `field '${field.name}' is stored in a format that lacks ${wrong.join(', ')}`, {
      remedy: 'give one, such as int(8), fixed(16, 1) or float(5, 10), or all that a Format has',
    });
};

/**
 * Fields that lie in one machine word, the first in its lowest bits: `bitStruct(32, stored(u, fixed(16, 1)), stored(v, …))`. Error:
 * `layout/format` where they take more bits than there are.
 */
export const bitStruct = (bits: WordBits, ...fields: readonly StoredField[]): BitStruct => {
  checkWord('a bit struct', bits);
  if (fields.length === 0 || fields.some((f) => f?.is !== 'stored'))
    fail('layout/format', 'a bit struct holds fields that say how they are stored', {
      remedy: 'write bitStruct(32, stored(u, format), …)',
    });
  checkJoints(fields);
  const taken = bitsOf(fields.flatMap(({ field, format }) => componentsOf(field).map(() => format)));
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

/** Bits of a machine word. */
export const checkWord = (what: string, bits: unknown): void => {
  if (![8, 16, 32, 64].includes(bits as number))
    fail('layout/format', `${what} has words of 8, 16, 32 or 64 bits, not of ${String(bits)}`, {
      remedy: 'give one of these',
    });
};

/** The scalars of what is placed. Error: `layout/field`. */
export const placesOf = (what: Placeable): readonly PlaceSpec[] => {
  switch (what?.is) {
    case 'stored':
      if (what.format.joint)
        fail(
          'layout/format',
          `field '${what.field.name}' shares '${what.format.joint.name}' with others of a bit struct, and lies in none`,
          { remedy: 'place it by bitStruct(32, stored(u, format), …)' },
        );
      return componentsOf(what.field).map((field) => ({
        field,
        stored: { format: what.format, word: field.name, wordBits: wordFor(what.format.bits), shift: 0, shared: false },
      }));
    case 'bit-struct': {
      const all = what.fields.flatMap(({ field, format }) => componentsOf(field).map((c) => ({ field: c, format })));
      const word = all[0].field.name;
      const formats = all.map((f) => f.format);
      const places = all.map(({ field, format }, n) => ({
        field,
        format,
        shift: bitsOf(formats.slice(0, n + 1)) - format.bits,
      }));
      const jointOf = ({ joint: by }: Format): JointPlace | undefined => {
        if (!by) return undefined;
        const members = places.filter((p) => p.format.joint?.name === by.name);
        return { by, shift: members[0].shift - by.bits, members };
      };
      return places.map(({ field, format, shift }) => {
        const joint = jointOf(format);
        return { field, stored: { format, word, wordBits: what.bits, shift, shared: true, ...(joint && { joint }) } };
      });
    }
    default:
      if (!isField(what))
        fail('layout/field', `place() was given ${textOf(what)}, which is no field`, {
          remedy: Array.isArray(what) ? 'take it apart: place(...list)' : "place what field('u', 'f32') makes",
        });
      return componentsOf(what).map((field) => ({ field, stored: undefined }));
  }
};

/** Bits that codes take one behind the other, with what some of them share, once. */
const bitsOf = (formats: readonly Format[]): number => {
  const joints = new Map(formats.flatMap(({ joint }) => (joint ? [[joint.name, joint.bits] as const] : [])));
  return [...formats.map((f) => f.bits), ...joints.values()].reduce((sum, bits) => sum + bits, 0);
};

/** Fields that share something are stored alike. */
const checkJoints = (fields: readonly StoredField[]): void => {
  for (const [n, { field, format }] of fields.entries()) {
    const first = fields.findIndex((f) => f.format.joint !== undefined && f.format.joint.name === format.joint?.name);
    if (first < 0 || first === n) continue;
    const other = fields[first];
    const textOf = (f: StoredField): string =>
      `${f.field.type} as ${f.format.name} {${Object.entries(f.format.attrs)
        .map(([k, v]) => `${k} = ${JSON.stringify(v)}`)
        .join(', ')}}`;
    if (textOf(other) !== textOf(fields[n]))
      fail(
        'layout/format',
        `fields '${other.field.name}' and '${field.name}' share '${format.joint!.name}', but are stored differently: ` +
          `${textOf(other)}, ${textOf(fields[n])}`,
        { remedy: 'give both one type and one format, or names of their own to what they share' },
      );
  }
};

const wordFor = (bits: number): WordBits => (bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64);
