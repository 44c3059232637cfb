import { byteSize, type AtomicKind, type Builder, type ScalarType, type Value } from '@filigree/ir';
import type { JointPlace, Stored } from '../../layout/format.js';
import { wordMates, type SNode } from '../../layout/layout.js';
import { arenaName } from '../../storage/storage.js';
import { codeType, storedType } from '../../layout/stored-type.js';
import { atomic, indexOf, load, store, type Address, type Emit } from './address.js';

/** The value of a field in the cell at an address. */
export const loadValue = (e: Emit, node: SNode, at: Address): Value => {
  const { stored } = node;
  if (!stored) return load(e, at, storedType(node));
  return valueIn(e.b, node, load(e, at, storedType(node)));
};

/** Writes it. Of a word that fields share only the bits of this one change, whatever other threads do to the others. */
export const storeValue = (e: Emit, node: SNode, value: Value, at: Address, alone: boolean): void => {
  if (node.stored) storeWord(e, [{ node, value }], at, alone);
  else store(e, value, at, storedType(node));
};

/**
 * Writes some of the fields of a word at once; the bits of others stay, whatever other threads do to them. `alone` says that these do
 * nothing meanwhile, or that there are no others.
 */
export const storeWord = (e: Emit, values: readonly Written[], at: Address, alone: boolean): void => {
  const { b } = e;
  const [{ node }] = values;
  const type = storedType(node);
  const { wordBits, shared } = node.stored!;
  const put = (word: Value): void => store(e, word, at, type);
  if (alone || !shared) {
    const whole = isWhole(e, values);
    const word = whole ? undefined : load(e, at, type);
    const codes = codesOf(b, values, word);
    return put(word ? withCodes(b, codes, word, type) : wordOf(b, codes, type));
  }
  /* What does not depend on the rest of the word is computed once. */
  const known = readsNothing(values) ? codesOf(b, values) : undefined;
  const placed = known && b.cast(wordOf(b, known, type), codeType(wordBits));
  changeWord(e, node, at, (word) => {
    if (!known || !placed) return withCodes(b, codesOf(b, values, word), word, type);
    const rest = b.and(b.cast(word, codeType(wordBits)), constant(b, othersOf(known, wordBits), codeType(wordBits)));
    return asWord(b, b.or(rest, placed), type);
  });
};

/** A field of a word, and what is written to it. */
export interface Written {
  readonly node: SNode;
  readonly value: Value;
}

/** Combines it with another by `kind` in one step; gives the old one. */
export const atomicValue = (
  e: Emit,
  node: SNode,
  kind: AtomicKind,
  value: Value,
  at: Address,
  alone: boolean,
): Value => {
  const { stored } = node;
  if (!stored) return atomic(e, kind, value, at, storedType(node));
  const { b } = e;
  const type = storedType(node);
  const decode = (word: Value): Value => valueIn(b, node, word);
  const next = (word: Value): Value => {
    const writing = { node, value: combine(b, kind, decode(word), value) };
    return withCodes(b, codesOf(b, [writing], word), word, type);
  };
  if (
    !alone &&
    kind === 'add' &&
    stored.format.wraps === true &&
    stored.shift + stored.format.bits === stored.wordBits
  ) {
    /* What is carried leaves the word: at its top codes are added where they lie. */
    const word = wordOf(b, codesOf(b, [{ node, value }]), type);
    return decode(atomic(e, 'add', word, at, type));
  }
  if (!alone) return decode(changeWord(e, node, at, next));
  const old = load(e, at, type);
  store(e, next(old), at, type);
  return decode(old);
};

const isWhole = ({ storage: { layout } }: Emit, values: readonly Written[]): boolean =>
  wordMates(layout, values[0].node).every((mate) => values.some(({ node }) => node.id === mate.id));

/**
 * Replaces a word by what `next` makes of it, in one step: a loop on `mem.cas`, which begins again where another thread has
 * written the word meanwhile. Gives the old word.
 */
const changeWord = (e: Emit, node: SNode, at: Address, next: (word: Value) => Value): Value => {
  const { b } = e;
  const type = storedType(node);
  const buffer = arenaName(e.storage.memory, type);
  const index = indexOf(e, at, type);
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
const valueIn = (b: Builder, { field, stored }: Pick<SNode, 'field' | 'stored'>, word: Value): Value => {
  const { format, wordBits, shift, joint } = stored!;
  const code = bitsIn(b, wordBits, shift, format.bits, word);
  return joint
    ? joint.by.emitDecode(b, code, bitsIn(b, wordBits, joint.shift, joint.by.bits, word), field!.type)
    : format.emitDecode(b, code, field!.type);
};

/** Bits of a word, as a value of their own type. */
const bitsIn = (b: Builder, wordBits: number, shift: number, bits: number, word: Value): Value => {
  const type = codeType(wordBits);
  const whole = b.cast(word, type);
  const moved = shift === 0 ? whole : b.shr(whole, constant(b, BigInt(shift), type));
  const isTop = shift + bits === wordBits;
  const code = isTop ? moved : b.and(moved, constant(b, maskOf(bits), type));
  return b.cast(code, codeType(bits));
};

/** A code, and where it lies in its word. */
interface Code {
  readonly bits: number;
  readonly shift: number;
  readonly code: Value;
}

/**
 * Codes of values that are written at once, and of those that are encoded together with one of them.
 *
 * @param word the word before; it can be left out where `readsNothing`
 */
const codesOf = (b: Builder, values: readonly Written[], word?: Value): readonly Code[] => {
  const single = values.flatMap(({ node: { stored }, value }): readonly Code[] =>
    stored!.joint
      ? []
      : [{ bits: stored!.format.bits, shift: stored!.shift, code: stored!.format.emitEncode(b, value) }],
  );
  const joints = jointsOf(values).flatMap((stored): readonly Code[] => {
    const { by, shift, members } = stored.joint;
    const given = members.map((m) => {
      const written = values.findLast((w) => w.node.field!.name === m.field.name);
      return written ? written.value : valueIn(b, { field: m.field, stored: { ...stored, shift: m.shift } }, word!);
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
const jointsOf = (values: readonly Written[]): readonly (Stored & { readonly joint: JointPlace })[] => {
  const found = new Map<string, Stored & { readonly joint: JointPlace }>();
  for (const { node } of values) {
    const { joint } = node.stored!;
    if (joint && !found.has(joint.by.name)) found.set(joint.by.name, { ...node.stored!, joint });
  }
  return [...found.values()];
};

/** Whether codes of values do not depend on what else is in the word. */
const readsNothing = (values: readonly Written[]): boolean =>
  jointsOf(values).every(({ joint }) =>
    joint.members.every((m) => values.some(({ node }) => node.field!.name === m.field.name)),
  );

/** A word in which these codes stand, and nothing else. */
const wordOf = (b: Builder, codes: readonly Code[], to: ScalarType): Value => {
  const type = codeType(bitSize(to));
  const moved = codes.map(({ shift, code }) => {
    const wide = b.cast(code, type);
    return shift === 0 ? wide : b.shl(wide, constant(b, BigInt(shift), type));
  });
  return asWord(b, moved.reduce(b.or), to);
};

/** A word in which these codes stand in place of others. */
const withCodes = (b: Builder, codes: readonly Code[], word: Value, to: ScalarType): Value => {
  const wordBits = bitSize(to);
  const others = othersOf(codes, wordBits);
  if (others === 0n) return wordOf(b, codes, to);
  const type = codeType(wordBits);
  const rest = b.and(b.cast(word, type), constant(b, others, type));
  return asWord(b, b.or(rest, b.cast(wordOf(b, codes, to), type)), to);
};

/** The bits of a word outside of codes. */
const othersOf = (codes: readonly Code[], wordBits: number): bigint =>
  codes.reduce((mask, { bits, shift }) => mask & ~(maskOf(bits) << BigInt(shift)), maskOf(wordBits));

const bitSize = (word: ScalarType): number => 8 * byteSize(word);

const asWord = (b: Builder, code: Value, type: ScalarType): Value => b.cast(code, type);

const maskOf = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

const constant = (b: Builder, value: bigint, type: 'u32' | 'u64'): Value =>
  b.constant(type === 'u64' ? value : Number(value), type);

/** What an atomic operation makes of the old value and another. */
const combine = (b: Builder, kind: AtomicKind, old: Value, value: Value): Value =>
  kind === 'exchange' ? value : b[kind](old, value);
