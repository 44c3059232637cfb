import { packed } from '@filigree/quant/formats';
import { bitStruct, componentsOf, stored, type Placeable, type WordBits } from '@filigree/sparse/fields';
import { bitsOf, type Choice } from './formats-for.js';

/** What a cell holds: fields together in words, fields whose components fill words of their own, and fields as they are. */
export interface Words {
  readonly together: readonly { readonly bits: WordBits; readonly choices: readonly Choice[] }[];
  readonly apart: readonly { readonly bits: WordBits; readonly words: number; readonly choice: Choice }[];
  readonly plain: readonly Choice[];
  readonly bytes: number;
}

/** Choices in as few bytes as there is a simple way to: the largest first, each into the first word that has room for it. */
export const inWords = (choices: readonly Choice[]): Words =>
  [64, 32]
    .flatMap((most) => [false, true].map((split) => withWords(choices, most as WordBits, split)))
    .reduce((a, b) => (b.bytes < a.bytes ? b : a));

/** @param split whether a field fills words of its own where these are smaller than the one that holds all of it */
const withWords = (choices: readonly Choice[], most: WordBits, split: boolean): Words => {
  const plain = choices.filter((c) => !c.format);
  const some = choices.filter((c) => c.format).sort((a, b) => bitsOf(b) - bitsOf(a));
  const parts = some.map((choice) => ({ choice, ...ownWords(choice) }));
  const isApart = ({ choice, bits, words }: (typeof parts)[number]): boolean =>
    bitsOf(choice) > 64 || (split && choice.joint === 0 && bits * words < wordFor(bitsOf(choice)));
  const apart = parts.filter(isApart);
  const whole = parts.filter((p) => !isApart(p)).map((p) => p.choice);
  const bins: Choice[][] = [];
  const room = (bin: readonly Choice[]): number => bin.reduce((sum, c) => sum + bitsOf(c), 0);
  for (const choice of whole) {
    const bin = bins.find((b) => room(b) + bitsOf(choice) <= (room(b) > most ? 64 : most));
    if (bin) bin.push(choice);
    else bins.push([choice]);
  }
  const together = bins.map((choices) => ({ bits: wordFor(room(choices)), choices })).sort((a, b) => b.bits - a.bits);
  const sizes = [
    ...together.map((w) => w.bits / 8),
    ...apart.map((w) => (w.words * w.bits) / 8),
    ...plain.map((c) => bitsOf(c) / 8),
  ];
  return { together, apart, plain, bytes: sizes.reduce((sum, n) => sum + n, 0) };
};

/** The words that the components of a field fill by themselves: those that take the fewest bits. */
const ownWords = ({ field, bits }: Choice): { readonly bits: WordBits; readonly words: number } =>
  WORDS.filter((word) => word >= bits)
    .map((word) => ({ bits: word, words: Math.ceil(componentsOf(field).length / Math.floor(word / bits)) }))
    .reduce((a, b) => (b.bits * b.words < a.bits * a.words ? b : a));

/** The same for `place`. */
export const placesFor = ({ together, apart, plain }: Words): readonly Placeable[] => [
  ...together.map(({ bits, choices }) => bitStruct(bits, ...choices.map((c) => stored(c.field, c.format!)))),
  ...apart.flatMap(({ bits, choice }) => packed(bits, choice.format!, choice.field)),
  ...plain.map((c) => c.field),
];

/** The same as text, a line for each word. */
export const textFor = ({ together, apart, plain }: Words): readonly string[] => [
  ...together.map(
    ({ bits, choices }) => `bitStruct(${bits}, ${choices.map((c) => `stored(${c.field.name}, ${c.text})`).join(', ')})`,
  ),
  ...apart.map(({ bits, choice }) => `...packed(${bits}, ${choice.text}, ${choice.field.name})`),
  ...plain.map((c) => c.field.name),
];

const WORDS: readonly WordBits[] = [8, 16, 32, 64];

const wordFor = (bits: number): WordBits => WORDS.find((word) => word >= bits)!;
