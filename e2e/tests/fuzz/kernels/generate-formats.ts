import type { Draw } from '../draw.js';
import type { FieldCode, LevelCode } from './code.js';
import { drawFormat, drawShared, WORDS, type Word } from './formats.js';
import { isFloat, type ScalarType } from './scalars.js';

/** A field that is to be placed: its type, and how it is stored where that is not as what it is. */
export type Placed = Pick<FieldCode, 'type' | 'stored'>;

/** Two to five fields in words of few bits that they share, in words of their own, and as what they are. */
export const drawWords = (d: Draw, types: readonly ScalarType[], name: string): readonly Placed[] => {
  const fields: Placed[] = [];
  const wanted = 2 + d.int(4);
  for (let number = 0; fields.length < wanted; number++) {
    const roll = d.int(8);
    if (roll === 0) fields.push({ type: d.of(types) });
    else if (roll === 1) fields.push(inOwnWord(d, d.of(types)));
    else fields.push(...drawWord(d, types, `${name}${number}`));
  }
  return fields;
};

const inOwnWord = (d: Draw, type: ScalarType): Placed => ({ type, stored: { format: drawFormat(d, type, 64) } });

const drawWord = (d: Draw, types: readonly ScalarType[], name: string): readonly Placed[] => {
  const bits = d.of([...WORDS, 32, 64] as const);
  const struct = { name, bits };
  const fields: Placed[] = [];
  for (let rest: number = bits; rest > 0 && (fields.length === 0 || d.chance(0.75));) {
    const type = d.of(types);
    const count = 2 + d.int(2);
    const shared = isFloat(type) && d.chance(0.4) ? drawShared(d, type, count, rest, name) : undefined;
    if (shared?.name === 'float' && !fields.some((f) => isShared(f))) {
      for (let n = 0; n < count; n++) fields.push({ type, stored: { format: shared, struct } });
      rest -= shared.exponent + count * (shared.fraction + (shared.signed ? 1 : 0));
      continue;
    }
    const format = drawFormat(d, type, rest);
    fields.push({ type, stored: { format, struct } });
    rest -= bitsIn(format);
  }
  return fields;
};

const isShared = ({ stored }: Placed): boolean => stored?.format.name === 'float' && stored.format.shared !== undefined;

const bitsIn = (f: NonNullable<Placed['stored']>['format']): number =>
  f.name === 'float' ? f.exponent + f.fraction + (f.signed ? 1 : 0) : f.bits;

/** Bit arrays below some levels, one for each field: their cells, and the fields that fill words of it. */
export const drawArrays = (
  d: Draw,
  axes: number,
  types: readonly ScalarType[],
): { readonly level: LevelCode; readonly fields: readonly Placed[] } => {
  const tiled = axes === 2 && d.chance(0.3);
  const word: Word = d.of(WORDS);
  const extents = tiled
    ? d.of([
        [2, 4],
        [2, 8],
        [4, 4],
        [4, 8],
      ] as const)
    : [d.of([8, 12, 16, 24, 32])];
  const level: LevelCode = { kind: 'bits', axes: tiled ? [0, 1] : [axes - 1], extents, word };
  const fields = d.list(1, 3, (): Placed => {
    const type = d.of(types);
    for (;;) {
      const format = drawFormat(d, type, word);
      if (fillsWords(extents, Math.floor(word / bitsIn(format)))) return { type, stored: { format } };
    }
  });
  return { level, fields };
};

/** Whether rows of elements fill words of so many each, whole ones. */
const fillsWords = (extents: readonly number[], each: number): boolean => {
  let rest = each;
  for (let n = extents.length - 1; n >= 0 && rest > 1; n--) {
    const side = Math.min(rest, extents[n]);
    if (rest % side !== 0 || extents[n] % side !== 0) return false;
    rest /= side;
    if (side < extents[n]) break;
  }
  return rest === 1;
};
