import type { AtomicKind, Builder, ScalarType, Value } from '@filigree/ir';
import type { Stored } from '../../layout/format.js';
import { wordMates, type SNode } from '../../layout/layout.js';
import { arenaName } from '../../storage/storage.js';
import { codeType, storedType } from '../../layout/stored-type.js';
import { atomic, indexOf, load, store, type Address, type Emit } from './address.js';

/** The value of a field in the cell at an address. */
export const loadValue = (e: Emit, node: SNode, at: Address): Value => {
  const { stored } = node;
  if (!stored) return load(e, at, storedType(node));
  const code = codeIn(e.b, stored, load(e, at, storedType(node)));
  return stored.format.emitDecode(e.b, code, node.field!.type);
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
  const codes = values.map(({ node: { stored }, value }) => ({
    stored: stored!,
    code: stored!.format.emitEncode(b, value),
  }));
  const put = (word: Value): void => store(e, word, at, type);
  if (alone || !node.stored!.shared)
    return put(isWhole(e, values) ? wordOf(b, codes, type) : withCodes(b, codes, load(e, at, type), type));
  const { wordBits } = node.stored!;
  const placed = b.cast(wordOf(b, codes, type), codeType(wordBits));
  changeWord(e, node, at, (word) => {
    const rest = b.and(b.cast(word, codeType(wordBits)), constant(b, othersOf(codes, wordBits), codeType(wordBits)));
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
  const decode = (word: Value): Value => stored.format.emitDecode(b, codeIn(b, stored, word), node.field!.type);
  const next = (word: Value): Value => {
    const code = stored.format.emitEncode(b, combine(b, kind, decode(word), value));
    return withCodes(b, [{ stored, code }], word, type);
  };
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

/** The code in a word, as a value of its own type. */
const codeIn = (b: Builder, { format, wordBits, shift }: Stored, word: Value): Value => {
  const type = codeType(wordBits);
  const whole = b.cast(word, type);
  const moved = shift === 0 ? whole : b.shr(whole, constant(b, BigInt(shift), type));
  const isTop = shift + format.bits === wordBits;
  const code = isTop ? moved : b.and(moved, constant(b, maskOf(format.bits), type));
  return b.cast(code, codeType(format.bits));
};

/** A code, and where it lies in its word. */
interface Code {
  readonly stored: Stored;
  readonly code: Value;
}

/** A word in which these codes stand, and nothing else. */
const wordOf = (b: Builder, codes: readonly Code[], to: ScalarType): Value => {
  const type = codeType(codes[0].stored.wordBits);
  const moved = codes.map(({ stored: { shift }, code }) => {
    const wide = b.cast(code, type);
    return shift === 0 ? wide : b.shl(wide, constant(b, BigInt(shift), type));
  });
  return asWord(b, moved.reduce(b.or), to);
};

/** A word in which these codes stand in place of others. */
const withCodes = (b: Builder, codes: readonly Code[], word: Value, to: ScalarType): Value => {
  const { wordBits } = codes[0].stored;
  const others = othersOf(codes, wordBits);
  if (others === 0n) return wordOf(b, codes, to);
  const type = codeType(wordBits);
  const rest = b.and(b.cast(word, type), constant(b, others, type));
  return asWord(b, b.or(rest, b.cast(wordOf(b, codes, to), type)), to);
};

/** The bits of a word outside of codes. */
const othersOf = (codes: readonly Code[], wordBits: number): bigint =>
  codes.reduce(
    (mask, { stored: { format, shift } }) => mask & ~(maskOf(format.bits) << BigInt(shift)),
    maskOf(wordBits),
  );

const asWord = (b: Builder, code: Value, type: ScalarType): Value => b.cast(code, type);

const maskOf = (bits: number): bigint => (1n << BigInt(bits)) - 1n;

const constant = (b: Builder, value: bigint, type: 'u32' | 'u64'): Value =>
  b.constant(type === 'u64' ? value : Number(value), type);

/** What an atomic operation makes of the old value and another. */
const combine = (b: Builder, kind: AtomicKind, old: Value, value: Value): Value =>
  kind === 'exchange' ? value : b[kind](old, value);
