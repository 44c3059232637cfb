import { byteSize, type Builder, type ScalarType, type Value } from '@filigree/ir';
import type { LoopGrain } from '../../loops/plan.js';
import { arenaName, type Storage } from '../../storage/storage.js';

/**
 * An address in the arena that is not yet computed: Σ value · bytes + bytes. The terms stay separate until an element
 * is accessed, so that what several accesses have in common is added first and constants last.
 */
export interface Address {
  readonly terms: readonly Term[];
  readonly bytes: number;
  /** Whether the address is that of a sink, which absorbs writes for which there is no room: true if any of these is. */
  readonly lost: readonly Test[];
}

export interface Term {
  /** An i32, not negative. */
  readonly value: Value;
  readonly bytes: number;
}

/** A condition, made where it is asked for. */
export type Test = (b: Builder) => Value;

/** Whether one of several tests holds. */
export const anyOf = (b: Builder, tests: readonly Test[]): Value => tests.map((test) => test(b)).reduce(b.or);

/** Where ops go, and the storage that they work on. */
export interface Emit {
  readonly b: Builder;
  readonly storage: Storage;
  /** Whether what one thread publishes for others is to be ordered by fences. */
  readonly fences?: boolean;
  /** Numbers of nodes of which cells are made meanwhile, by other threads too. */
  readonly makes?: ReadonlySet<number>;
  /** Threads that have a lot of a pool for themselves; default `HANDS`. */
  readonly hands?: number;
  /** How loops are cut; default for a processor. */
  readonly grain?: LoopGrain | undefined;
}

/** Orders what this thread does to memory in the eyes of those that it shares cells with. */
export const fence = ({ b, fences }: Emit, order: 'acquire' | 'release'): void => {
  if (fences === true) b.op('mem.fence', [], { order });
};

export const fixed = (bytes: number): Address => ({ terms: [], bytes, lost: [] });

export const plus = (address: Address, bytes: number): Address =>
  bytes === 0 ? address : { ...address, bytes: address.bytes + bytes };

/** `value` steps of `bytes` further on. */
export const along = (address: Address, value: Value, bytes: number): Address =>
  bytes === 0 ? address : { ...address, terms: merge(address.terms, { value, bytes }) };

/** The address as an index into the buffer of a type. */
export const indexOf = ({ b, storage }: Emit, { terms, bytes }: Address, type: ScalarType): Value => {
  const size = byteSize(type);
  const wide = storage.index === 'i64';
  const constant = (n: number): Value => b.constant(n, storage.index);
  const parts = terms.map(({ value, bytes: step }) => {
    const v = wide ? b.cast(value, 'i64') : value;
    return step === size ? v : b.mul(v, constant(step / size));
  });
  const offset = bytes / size;
  if (parts.length === 0) return constant(offset);
  const sum = parts.reduce((x, y) => b.add(x, y));
  return offset === 0 ? sum : b.add(sum, constant(offset));
};

/** Where a code lies that begins at a bit: the index of its word, and how far it is shifted there, a u32. */
export interface BitPlace {
  readonly index: Value;
  readonly shift: Value;
}

/**
 * The address as one of bits, in words of a type. What is no multiple of a word is added up apart; beside a constant, such as the
 * distance to a neighbour has, that may be more than a word.
 */
export const bitsOf = (e: Emit, { terms, bytes, lost }: Address, type: ScalarType): BitPlace => {
  const { b } = e;
  const size = byteSize(type);
  const down = (n: number): number => Math.floor(n / size) * size;
  const whole: Address = {
    terms: terms.flatMap((t) => (down(t.bytes) === 0 ? [] : [{ ...t, bytes: down(t.bytes) }])),
    bytes: down(bytes),
    lost,
  };
  const inner = terms.flatMap(({ value, bytes: step }) => {
    const bits = 8 * (step - down(step));
    return bits === 0 ? [] : [bits === 1 ? value : b.mul(value, b.i32(bits))];
  });
  const rest = 8 * (bytes - down(bytes));
  const bits = rest === 0 ? inner : [...inner, b.i32(rest)];
  const sum = bits.length === 0 ? b.i32(0) : bits.reduce(b.add);
  if (rest === 0 || inner.length === 0) return { index: indexOf(e, whole, type), shift: b.cast(sum, 'u32') };
  const over = b.shr(sum, b.i32(Math.log2(8 * size)));
  return {
    index: indexOf(e, along(whole, over, size), type),
    shift: b.cast(b.and(sum, b.i32(8 * size - 1)), 'u32'),
  };
};

export const load = (e: Emit, at: Address, type: ScalarType): Value => e.b.load(buffer(e, type), indexOf(e, at, type));

export const store = (e: Emit, value: Value, at: Address, type: ScalarType): void =>
  e.b.store(buffer(e, type), value, indexOf(e, at, type));

export const atomic = (
  e: Emit,
  kind: Parameters<Builder['atomic']>[1],
  value: Value,
  at: Address,
  type: ScalarType = 'i32',
): Value => e.b.atomic(buffer(e, type), kind, value, indexOf(e, at, type));

/** An `add` of one that many threads do at once to one of few words; gives what was there. */
export const countAmong = (e: Emit, at: Address): Value =>
  e.b.value('mem.atomic', [e.b.i32(1), indexOf(e, at, 'i32')], {
    buffer: `@${buffer(e, 'i32')}`,
    kind: 'add',
    together: 'many',
  });

export const cas = (e: Emit, expected: Value, desired: Value, at: Address): Value =>
  e.b.cas(buffer(e, 'i32'), expected, desired, indexOf(e, at, 'i32'));

const buffer = ({ storage }: Emit, type: ScalarType): string => arenaName(storage.memory, type);

const merge = (terms: readonly Term[], term: Term): readonly Term[] =>
  terms.some((t) => t.value.id === term.value.id)
    ? terms.map((t) => (t.value.id === term.value.id ? { ...t, bytes: t.bytes + term.bytes } : t))
    : [...terms, term];
