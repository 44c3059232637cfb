import { fail } from '@filigree/ir';
import type { Axes } from './axes.js';
import { componentsOf, isField, type FieldDecl } from './field-decl.js';
import type { ArrayElements, Placeable, PlaceSpec, WordBits } from './format.js';
import { asWord } from './word.js';

/** What a bit array is written down as: its elements along each of its axes, and the bits of a word. */
export interface ArraySpec {
  readonly axes: Axes;
  readonly extents: readonly number[];
  readonly word: WordBits;
}

/** Cells along some axes. */
export interface Extents {
  readonly axes: Axes;
  readonly extents: readonly number[];
}

/** A bit array in words: an array of words where there are several, the elements of a word, and the fields. */
export interface InWords {
  readonly words: Extents | undefined;
  readonly elements: Extents;
  readonly places: readonly PlaceSpec[];
}

/** Cuts a bit array, in which fields are placed, into words that hold as many elements as fit. Error: `layout/bit-array`. */
export const inWords = (spec: ArraySpec, known: readonly PlaceSpec[], fields: readonly Placeable[]): InWords => {
  const places = [...known, ...fields.flatMap((f) => elementOf(f, spec.word))];
  if (places.length === 0) return { words: undefined, elements: spec, places };
  const [first] = places;
  const { bits } = first.stored!.format;
  const odd = places.find((p) => p.stored!.format.bits !== bits);
  if (odd)
    fail(
      'layout/bit-array',
      `fields '${first.field.name}' and '${odd.field.name}' of a bit array have ${bits} and ${odd.stored!.format.bits} bits`,
      { remedy: 'give each a bit array of its own, by fork()' },
    );
  const inner = tileOf(spec, first.field.name, bits);
  const outer = spec.extents.map((extent, n) => extent / inner[n]);
  const along = (extents: readonly number[], keep: (n: number) => boolean): Extents => ({
    axes: spec.axes.filter((_, n) => keep(n)) as unknown as Axes,
    extents: extents.filter((_, n) => keep(n)),
  });
  const last = spec.axes.length - 1;
  return {
    words: outer.some((n) => n > 1) ? along(outer, (n) => outer[n] > 1) : undefined,
    elements: along(inner, (n) => n === last || inner[n] > 1 || outer[n] === 1),
    places,
  };
};

/** The place of the words that elements of a field lie in, in the cell around the array. */
export const placeOfWords = ({ field, stored }: PlaceSpec, extents: readonly number[]): PlaceSpec => {
  const { format, wordBits } = stored!;
  const elements: ArrayElements = { field, format, count: extents.reduce((n, extent) => n * extent, 1) };
  return {
    field: { is: 'scalar', name: wordsName(field), type: wordBits === 64 ? 'u64' : 'u32', ambient: 0 },
    stored: { format: asWord(wordBits), word: field.name, wordBits, shift: 0, shared: true, elements },
  };
};

/** What ops call the words of a field in a bit array: as a field of their own, of the node around the array. */
export const wordsName = ({ name }: FieldDecl): string => `words.${name}`;

/** The scalars of a field that lie in words, its elements side by side. */
const elementOf = (what: Placeable, wordBits: WordBits): readonly PlaceSpec[] => {
  if (what?.is !== 'stored')
    return isField(what)
      ? fail('layout/bit-array', `field '${what.name}' is placed in a bit array as what it is`, {
          remedy: `say in how few bits it is stored: stored(${what.name}, format)`,
        })
      : fail('layout/bit-array', 'a bit array was given what is no field that says how it is stored', {
          remedy: 'place stored(u, format)',
        });
  const { field, format } = what;
  if (format.joint)
    fail(
      'layout/bit-array',
      `field '${field.name}' shares '${format.joint.name}' with others, and lies in a bit array`,
      {
        remedy: 'place it in a bit struct, or without what it shares',
      },
    );
  if (format.bits > wordBits)
    fail('layout/bit-array', `field '${field.name}' has ${format.bits} bits, a word of its bit array ${wordBits}`, {
      remedy: 'use larger words, or a smaller format',
    });
  return componentsOf(field).map((f) => ({
    field: f,
    stored: { format, word: f.name, wordBits, shift: 0, shared: true, inArray: true },
  }));
};

/** Elements of a word along each axis, row by row. */
const tileOf = ({ axes, extents, word }: ArraySpec, name: string, bits: number): readonly number[] => {
  const each = Math.floor(word / bits);
  const tile = axes.map(() => 1);
  let rest = each;
  for (let n = axes.length - 1; n >= 0 && rest > 1; n--) {
    const side = Math.min(rest, extents[n]);
    if (rest % side !== 0 || extents[n] % side !== 0) break;
    tile[n] = side;
    rest /= side;
    if (side < extents[n]) break;
  }
  if (rest > 1)
    fail(
      'layout/bit-array',
      `rows of ${extents.join(' × ')} elements of field '${name}' do not fill words, of which each holds ${each}`,
      { remedy: `make the last extent a multiple of ${each}, or use smaller words` },
    );
  return tile;
};
