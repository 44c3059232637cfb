import { byteSize, type AtomicKind, type Builder, type ScalarType, type Value } from '@filigree/ir';
import type { JointPlace, Stored } from '../../layout/format.js';
import { wordMates, type SNode } from '../../layout/layout.js';
import { arenaName } from '../../storage/storage.js';
import { codeType, storedType } from '../../layout/stored-type.js';
import { bitsOf, indexOf, type Address, type Emit } from './address.js';
import { combine } from './combine.js';

/** The value of a field of a word in the cell at an address. */
export const loadFromWord = (e: Emit, node: SNode, at: Address): Value => {
  const word = wordAt(e, node, at);
  return valueIn(e.b, word.shifted(node), e.b.load(word.buffer, word.index));
};

/**
 * Writes some of the fields of a word at once; the bits of others stay, whatever other threads do to them. `alone` says that these do
 * nothing meanwhile, or that there are no others.
 */
export const storeWord = (e: Emit, given: readonly Written[], at: Address, alone: boolean): void => {
  const { b } = e;
  const word = wordAt(e, given[0].node, at);
  const { type } = word;
  const values = given.map(({ node, value }) => ({ node: word.shifted(node), value }));
  const { wordBits, shared } = given[0].node.stored!;
  if (alone || !shared) {
    const whole = isWhole(e, given);
    const old = whole ? undefined : b.load(word.buffer, word.index);
    const codes = codesOf(b, values, old);
    b.store(word.buffer, old ? withCodes(b, codes, old, type) : wordOf(b, codes, type), word.index);
    return;
  }
  /* What does not depend on the rest of the word is computed once. */
  const known = readsNothing(values) ? codesOf(b, values) : undefined;
  const placed = known && b.cast(wordOf(b, known, type), codeType(wordBits));
  const others = known && othersOf(b, known, wordBits);
  changeWord(e, word, (old) => {
    if (!known || !placed || !others) return withCodes(b, codesOf(b, values, old), old, type);
    const rest = b.and(b.cast(old, codeType(wordBits)), others);
    return asWord(b, b.or(rest, placed), type);
  });
};

/** A word in memory. */
interface WordPlace {
  readonly buffer: string;
  readonly index: Value;
  readonly type: ScalarType;
  /** A field of the word, and how far its code is shifted there. */
  readonly shifted: (node: Pick<SNode, 'field' | 'stored'>) => Shifted;
}

/** A field, and how far its code is shifted in a word: by a number, or in a bit array by a value. */
interface Shifted extends Pick<SNode, 'field' | 'stored'> {
  readonly shift: Shift;
}

type Shift = number | Value;

const wordAt = (e: Emit, node: SNode, at: Address): WordPlace => {
  const type = storedType(node);
  const buffer = arenaName(e.storage.memory, type);
  if (!node.stored?.inArray)
    return { buffer, index: indexOf(e, at, type), type, shifted: (n) => ({ ...n, shift: n.stored!.shift }) };
  const { index, shift } = bitsOf(e, at, type);
  return { buffer, index, type, shifted: (n) => ({ ...n, shift }) };
};

/** A field of a word, and what is written to it. */
export interface Written {
  readonly node: SNode;
  readonly value: Value;
}

/** Combines the value of a field of a word with another by `kind` in one step; gives the old one. */
export const atomicInWord = (
  e: Emit,
  node: SNode,
  kind: AtomicKind,
  value: Value,
  at: Address,
  alone: boolean,
): Value => {
  const { b } = e;
  const { bits, addend } = node.stored!.format;
  const word = wordAt(e, node, at);
  const { type } = word;
  const own = word.shifted(node);
  const decode = (from: Value): Value => valueIn(b, own, from);
  const code = kind === 'add' && addend && { bits, shift: own.shift, code: addend.emitEncode(b, value) };
  const added = code && wordOf(b, [code], type);
  /* What is carried leaves the word: at its top codes are added where they lie. */
  if (!alone && added && isAtTop(code, type)) return decode(b.atomic(word.buffer, 'add', added, word.index));
  const next = (from: Value): Value => {
    if (added) return withSum(b, code, added, from, type);
    const writing = { node: own, value: combine(b, kind, decode(from), value) };
    return withCodes(b, codesOf(b, [writing], from), from, type);
  };
  if (!alone) return decode(changeWord(e, word, next));
  const old = b.load(word.buffer, word.index);
  b.store(word.buffer, next(old), word.index);
  return decode(old);
};

const isWhole = ({ storage: { layout } }: Emit, values: readonly Written[]): boolean =>
  !values[0].node.stored!.inArray &&
  wordMates(layout, values[0].node).every((mate) => values.some(({ node }) => node.id === mate.id));

/**
 * Replaces a word by what `next` makes of it, in one step: a loop on `mem.cas`, which begins again where another thread has
 * written the word meanwhile. Gives the old word.
 */
const changeWord = ({ b }: Emit, { buffer, index }: WordPlace, next: (word: Value) => Value): Value => {
  const first = b.load(buffer, index);
  const [, word] = b.while(
    [first],
    ([expected]) => {
      const found = b.cas(buffer, expected, next(expected), index);
      return [b.cmp('ne', found, expected), found, expected];
    },
    ([found]) => [found],
  );
  return word;
};

/** The value of a field in a word. */
const valueIn = (b: Builder, { field, stored, shift }: Shifted, word: Value): Value => {
  const { format, wordBits, joint } = stored!;
  const code = bitsIn(b, wordBits, shift, format.bits, word);
  return joint
    ? joint.by.emitDecode(b, code, bitsIn(b, wordBits, joint.shift, joint.by.bits, word), field!.type)
    : format.emitDecode(b, code, field!.type);
};

/**
 * Bits of a word, as a value of their own type. It is cut to that type as early as possible: registers hold twice as many halves of words, and fields in
 * the lower half need no more than that.
 */
const bitsIn = (b: Builder, wordBits: number, shift: Shift, bits: number, word: Value): Value => {
  const [whole, type] = [codeType(wordBits), codeType(bits)];
  const isLow = typeof shift === 'number' && shift + bits <= 32;
  const from = isLow ? type : whole;
  const code = b.cast(movedDown(b, b.cast(b.cast(word, whole), from), shift, from), type);
  const end = isLow ? Math.min(wordBits, 32) : wordBits;
  const isTop = bits === 32 || bits === wordBits || (typeof shift === 'number' && shift + bits === end);
  return isTop ? code : b.and(code, constant(b, maskOf(bits), type));
};

const movedDown = (b: Builder, word: Value, shift: Shift, type: 'u32' | 'u64'): Value =>
  shift === 0 ? word : b.shr(word, shiftBy(b, shift, type));

const movedUp = (b: Builder, code: Value, shift: Shift, type: 'u32' | 'u64'): Value =>
  shift === 0 ? code : b.shl(code, shiftBy(b, shift, type));

const shiftBy = (b: Builder, shift: Shift, type: 'u32' | 'u64'): Value =>
  typeof shift === 'number' ? constant(b, BigInt(shift), type) : b.cast(shift, type);

/** A code, and where it lies in its word. */
interface Code {
  readonly bits: number;
  readonly shift: Shift;
  readonly code: Value;
}

/** A field of a word, shifted there, and what is written to it. */
interface Writing {
  readonly node: Shifted;
  readonly value: Value;
}

/**
 * Codes of values that are written at once, and of those that are encoded together with one of them.
 *
 * @param word the word before; it can be left out where `readsNothing`
 */
const codesOf = (b: Builder, values: readonly Writing[], word?: Value): readonly Code[] => {
  const single = values.flatMap(({ node: { stored, shift }, value }): readonly Code[] =>
    stored!.joint ? [] : [{ bits: stored!.format.bits, shift, code: stored!.format.emitEncode(b, value) }],
  );
  const joints = jointsOf(values).flatMap((stored): readonly Code[] => {
    const { by, shift, members } = stored.joint;
    const given = members.map((m) => {
      const written = values.findLast((w) => w.node.field!.name === m.field.name);
      return written ? written.value : valueIn(b, { field: m.field, stored, shift: m.shift }, word!);
    });
    const { shared, codes } = by.emitEncode(b, given);
    return [
      { bits: by.bits, shift, code: shared },
      ...members.map((m, k) => ({ bits: stored.format.bits, shift: m.shift, code: codes[k] })),
    ];
  });
  return [...single, ...joints];
};

/** What those of the values are encoded with that are so with others, each once. */
const jointsOf = (values: readonly Writing[]): readonly (Stored & { readonly joint: JointPlace })[] => {
  const found = new Map<string, Stored & { readonly joint: JointPlace }>();
  for (const { node } of values) {
    const { joint } = node.stored!;
    if (joint && !found.has(joint.by.name)) found.set(joint.by.name, { ...node.stored!, joint });
  }
  return [...found.values()];
};

/** Whether codes of values do not depend on what else is in the word. */
const readsNothing = (values: readonly Writing[]): boolean =>
  jointsOf(values).every(({ joint }) =>
    joint.members.every((m) => values.some(({ node }) => node.field!.name === m.field.name)),
  );

/** A word in which these codes stand, and nothing else. */
const wordOf = (b: Builder, codes: readonly Code[], to: ScalarType): Value => {
  const type = codeType(bitSize(to));
  const moved = codes.map(({ shift, code }) => movedUp(b, b.cast(code, type), shift, type));
  return asWord(b, moved.reduce(b.or), to);
};

/** A word in which these codes stand in place of others. */
const withCodes = (b: Builder, codes: readonly Code[], word: Value, to: ScalarType): Value => {
  const others = othersOf(b, codes, bitSize(to));
  if (!others) return wordOf(b, codes, to);
  const type = codeType(bitSize(to));
  const rest = b.and(b.cast(word, type), others);
  return asWord(b, b.or(rest, b.cast(wordOf(b, codes, to), type)), to);
};

/** A word in which something is added to the code in one place, and what is carried is lost; `added` is a word with nothing else. */
const withSum = (b: Builder, at: Code, added: Value, word: Value, to: ScalarType): Value => {
  const type = codeType(bitSize(to));
  const whole = b.cast(word, type);
  const sum = b.add(whole, b.cast(added, type));
  const others = isAtTop(at, to) ? undefined : othersOf(b, [at], bitSize(to));
  return asWord(b, others ? b.or(b.and(whole, others), b.and(sum, b.not(others))) : sum, to);
};

/** Whether a code has the highest bits of its word for sure. */
const isAtTop = ({ bits, shift }: Code, word: ScalarType): boolean =>
  typeof shift === 'number' && shift + bits === bitSize(word);

/** The bits of a word outside of codes; nothing where there are none. */
const othersOf = (b: Builder, codes: readonly Code[], wordBits: number): Value | undefined => {
  const type = codeType(wordBits);
  const [{ bits, shift }] = codes;
  if (typeof shift !== 'number')
    return bits === wordBits ? undefined : b.not(movedUp(b, constant(b, maskOf(bits), type), shift, type));
  const mask = codes.reduce((all, c) => all & ~(maskOf(c.bits) << BigInt(c.shift as number)), maskOf(wordBits));
  return mask === 0n ? undefined : constant(b, mask, type);
};

const bitSize = (word: ScalarType): number => 8 * byteSize(word);

const asWord = (b: Builder, code: Value, type: ScalarType): Value => b.cast(code, type);

const maskOf = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

const constant = (b: Builder, value: bigint, type: 'u32' | 'u64'): Value =>
  b.constant(type === 'u64' ? value : Number(value), type);

/** What an atomic operation makes of the old value and another. */
