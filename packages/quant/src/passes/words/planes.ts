import type { Builder, Value } from '@filigree/ir';

/** One bit of each element of a word, as a word; or the same bit for all. */
export type Plane = Value | 0 | 1;

/** What can be done to all elements of a word at once: gates. Bits of no element may be anything. */
export interface Gates {
  readonly not: (x: Plane) => Plane;
  readonly and: (x: Plane, y: Plane) => Plane;
  readonly or: (x: Plane, y: Plane) => Plane;
  readonly xor: (x: Plane, y: Plane) => Plane;
  readonly select: (c: Plane, x: Plane, y: Plane) => Plane;
  /** As a word. */
  readonly word: (x: Plane) => Value;
  /** The same bit for all elements, of an i1. */
  readonly all: (bit: Value) => Plane;
}

/** Gates on words of a type. What follows from planes that are the same for all, or equal, makes no op. */
export const gatesOn = (b: Builder, type: 'u32' | 'u64'): Gates => {
  const isSame = (x: Plane, y: Plane): boolean =>
    x === y || (typeof x === 'object' && typeof y === 'object' && x.id === y.id);
  /* A plane that was made by `not`, and of what. */
  const inverted = new Map<number, Plane>();
  const zero = (): Value => b.constant(type === 'u64' ? 0n : 0, type);
  const ones = (): Value => b.constant(type === 'u64' ? 2n ** 64n - 1n : 2 ** 32 - 1, type);
  const word = (x: Plane): Value => (x === 0 ? zero() : x === 1 ? ones() : x);
  const not = (x: Plane): Plane => {
    if (typeof x === 'number') return x === 0 ? 1 : 0;
    const known = inverted.get(x.id);
    if (known !== undefined) return known;
    const made = b.not(x);
    inverted.set(made.id, x);
    inverted.set(x.id, made);
    return made;
  };
  const isOther = (x: Plane, y: Plane): boolean => {
    const other = typeof x === 'object' ? inverted.get(x.id) : undefined;
    return other !== undefined && isSame(other, y);
  };
  const and = (x: Plane, y: Plane): Plane => {
    if (x === 0 || y === 0 || isOther(x, y)) return 0;
    if (x === 1 || isSame(x, y)) return y;
    return y === 1 ? x : b.and(x, y);
  };
  const or = (x: Plane, y: Plane): Plane => {
    if (x === 1 || y === 1 || isOther(x, y)) return 1;
    if (x === 0 || isSame(x, y)) return y;
    return y === 0 ? x : b.or(x, y);
  };
  const xor = (x: Plane, y: Plane): Plane => {
    if (isSame(x, y)) return 0;
    if (isOther(x, y)) return 1;
    if (typeof x === 'number') return x === 0 ? y : not(y);
    if (typeof y === 'number') return y === 0 ? x : not(x);
    return b.xor(x, y);
  };
  const select = (c: Plane, x: Plane, y: Plane): Plane => {
    if (c === 1 || isSame(x, y)) return x;
    if (c === 0) return y;
    if (x === 1) return or(c, y);
    if (y === 0) return and(c, x);
    if (x === 0) return and(not(c), y);
    if (y === 1) return or(not(c), x);
    return xor(y, and(c, xor(x, y)));
  };
  return { not, and, or, xor, select, word, all: (bit) => b.select(bit, ones(), zero()) };
};
