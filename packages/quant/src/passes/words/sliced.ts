import type { Gates, Plane } from './planes.js';

/**
 * An integer of each element of a word (thesis §5.6.3, bit-vectorised integers): its bits as planes, the lowest first, as many as the
 * range needs. Where the range has numbers below zero the last plane is the sign.
 */
export interface Sliced {
  readonly planes: readonly Plane[];
  readonly lo: bigint;
  readonly hi: bigint;
}

/** Numbers that a value may be. */
export type Bounds = Pick<Sliced, 'lo' | 'hi'>;

/** Bits that numbers of a range take. */
export const widthOf = ({ lo, hi }: Bounds): number =>
  lo >= 0n ? lengthOf(hi) : 1 + Math.max(lengthOf(hi < 0n ? -1n - hi : hi), lengthOf(-1n - lo));

const lengthOf = (n: bigint): number => (n <= 0n ? 0 : n.toString(2).length);

/** The same number for all elements. */
export const constantOf = (n: bigint): Sliced => {
  const bounds = { lo: n, hi: n };
  const planes = Array.from({ length: widthOf(bounds) }, (_, k): Plane => (((n >> BigInt(k)) & 1n) === 1n ? 1 : 0));
  return { ...bounds, planes };
};

/** A plane as the numbers 0 and 1. */
export const bitOf = (plane: Plane): Sliced =>
  typeof plane === 'number' ? constantOf(BigInt(plane)) : { planes: [plane], lo: 0n, hi: 1n };

/** The plane of a number that is 0 or 1. */
export const planeOf = (x: Sliced): Plane => planeAt(x, 0);

/** A bit of a number, beyond its planes as well. */
export const planeAt = ({ planes, lo }: Sliced, k: number): Plane =>
  k < planes.length ? planes[k] : lo < 0n ? planes[planes.length - 1] : 0;

/** Planes as a number that is known to be within bounds. */
export const within = (planes: (k: number) => Plane, bounds: Bounds): Sliced => ({
  lo: bounds.lo,
  hi: bounds.hi,
  planes: Array.from({ length: widthOf(bounds) }, (_, k) => planes(k)),
});

/** What is left of a range in an integer type, which wraps. */
export const wrapped = ({ lo, hi }: Bounds, [least, most]: readonly [bigint, bigint]): Bounds =>
  lo >= least && hi <= most ? { lo, hi } : { lo: least, hi: most };

/** A term of a sum, and whether it is subtracted. */
export interface Term {
  readonly x: Sliced;
  readonly negative: boolean;
}

/** The terms of a sum without those that are added and subtracted. */
export const uncancelled = (terms: readonly Term[]): readonly Term[] => {
  const kept: Term[] = [];
  for (const term of terms) {
    const other = kept.findIndex(({ x, negative }) => negative !== term.negative && isSame(x, term.x));
    if (other < 0) kept.push(term);
    else kept.splice(other, 1);
  }
  return kept;
};

const isSame = (x: Sliced, y: Sliced): boolean =>
  x.planes.length > 0 &&
  x.planes.length === y.planes.length &&
  x.lo === y.lo &&
  x.planes.every((p, k) => isEqual(p, y.planes[k]));

const isEqual = (p: Plane, q: Plane): boolean =>
  typeof p === 'number' || typeof q === 'number' ? p === q : p.id === q.id;

/** The range of a sum, as if there were no end of numbers. */
export const rangeOfSum = (terms: readonly Term[], constant: bigint): Bounds =>
  terms.reduce<Bounds>(
    ({ lo, hi }, { x, negative }) => (negative ? { lo: lo - x.hi, hi: hi - x.lo } : { lo: lo + x.lo, hi: hi + x.hi }),
    { lo: constant, hi: constant },
  );

/**
 * A sum, which is within bounds modulo 2ⁿ: a column of planes for each bit, of which three are added at a time, so that no more carries are made
 * than there are.
 */
export const sumOf = (g: Gates, terms: readonly Term[], constant: bigint, bounds: Bounds): Sliced => {
  const width = widthOf(bounds);
  const columns = Array.from({ length: width }, (): Plane[] => []);
  let rest = constant;
  for (const { x, negative } of terms) {
    const { planes, lo } = x;
    const sign = lo < 0n ? planes.length - 1 : -1;
    /* −x is ~x + 1; a sign counts −2ᵏ, which is what its opposite counts, less 2ᵏ. */
    planes.forEach((plane, k) => columns[k]?.push(negative === (k === sign) ? plane : g.not(plane)));
    if (negative) rest += 1n - (sign < 0 ? 1n << BigInt(planes.length) : 0n);
    if (sign >= 0) rest -= 1n << BigInt(sign);
  }
  for (let k = 0; k < width; k++) if (((rest >> BigInt(k)) & 1n) === 1n) columns[k].push(1);
  for (let k = 0; k < width; k++) {
    const column = columns[k];
    while (column.length > 1) {
      const [x, y, z = 0] = column.splice(0, Math.min(3, column.length));
      const half = g.xor(x, y);
      column.push(g.xor(half, z));
      if (k + 1 < width) columns[k + 1].push(g.or(g.and(x, y), g.and(half, z)));
    }
  }
  return within((k) => columns[k][0] ?? 0, bounds);
};

/** Whether two numbers are equal, from the highest bit down: comparisons with numbers nearby have those in common. */
export const equal = (g: Gates, x: Sliced, y: Sliced): Plane => {
  if (x.hi < y.lo || y.hi < x.lo) return 0;
  const width = Math.max(x.planes.length, y.planes.length) + 1;
  let same: Plane = 1;
  for (let k = width - 1; k >= 0; k--) same = g.and(same, g.not(g.xor(planeAt(x, k), planeAt(y, k))));
  return same;
};

/** Whether one is less than another, from the lowest bit up. */
export const less = (g: Gates, x: Sliced, y: Sliced): Plane => {
  if (x.hi < y.lo) return 1;
  if (x.lo >= y.hi) return 0;
  const width = Math.max(x.planes.length, y.planes.length) + 1;
  let below: Plane = 0;
  for (let k = 0; k < width; k++) {
    const [p, q] = [planeAt(x, k), planeAt(y, k)];
    /* Of two signs the one that is set is that of the lesser. */
    below = g.select(g.xor(p, q), k === width - 1 ? p : q, below);
  }
  return below;
};

/** One of two numbers. */
export const selected = (g: Gates, c: Plane, x: Sliced, y: Sliced): Sliced => {
  const bounds = { lo: x.lo < y.lo ? x.lo : y.lo, hi: x.hi > y.hi ? x.hi : y.hi };
  return within((k) => g.select(c, planeAt(x, k), planeAt(y, k)), bounds);
};

/** A product, which wraps around in a range: a sum of one factor at each plane of the other. */
export const product = (g: Gates, x: Sliced, y: Sliced, range: readonly [bigint, bigint]): Sliced => {
  const corners = [x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi];
  const least = corners.reduce((a, c) => (c < a ? c : a));
  const most = corners.reduce((a, c) => (c > a ? c : a));
  /* The sign of the factor that is taken apart counts less than nothing. */
  const terms = y.planes.map((plane, k): Term => {
    const part = {
      planes: x.planes.map((p) => g.and(p, plane)),
      lo: x.lo < 0n ? x.lo : 0n,
      hi: x.hi > 0n ? x.hi : 0n,
    };
    const moved = {
      planes: [...new Array<Plane>(k).fill(0), ...part.planes],
      lo: part.lo << BigInt(k),
      hi: part.hi << BigInt(k),
    };
    return { x: moved, negative: y.lo < 0n && k === y.planes.length - 1 };
  });
  return sumOf(g, terms, 0n, wrapped({ lo: least, hi: most }, range));
};

/** The lesser or the greater of two numbers. */
export const extreme = (g: Gates, kind: 'min' | 'max', x: Sliced, y: Sliced): Sliced => {
  const of = (a: bigint, c: bigint): bigint => (a < c === (kind === 'min') ? a : c);
  const isFirst = kind === 'min' ? less(g, x, y) : less(g, y, x);
  return within((k) => g.select(isFirst, planeAt(x, k), planeAt(y, k)), { lo: of(x.lo, y.lo), hi: of(x.hi, y.hi) });
};

/** Bit by bit. */
export const bitwise = (g: Gates, kind: 'and' | 'or' | 'xor', x: Sliced, y: Sliced): Sliced => {
  const plain = x.lo >= 0n && y.lo >= 0n;
  const both = Math.max(x.planes.length, y.planes.length);
  const least = [x, y].filter((v) => v.lo >= 0n).map((v) => v.planes.length);
  const bounds: Bounds =
    kind === 'and' && least.length > 0
      ? { lo: 0n, hi: (1n << BigInt(Math.min(...least))) - 1n }
      : plain
        ? { lo: 0n, hi: (1n << BigInt(both)) - 1n }
        : { lo: -(1n << BigInt(both)), hi: (1n << BigInt(both)) - 1n };
  return within((k) => g[kind](planeAt(x, k), planeAt(y, k)), bounds);
};

/** A number moved up (`shl`) or down by as many bits as another says, modulo the width of its type: by each of its bits in turn. */
export const shifted = (
  g: Gates,
  kind: 'shl' | 'shr',
  x: Sliced,
  by: Sliced,
  range: readonly [bigint, bigint],
): Sliced => {
  const digits = (range[1] - range[0]).toString(2).length.toString(2).length - 1;
  let made = x;
  for (let k = 0; k < digits; k++) {
    const bit = planeAt(by, k);
    if (bit === 0) continue;
    const n = 1 << k;
    const [lo, hi] = [made.lo, made.hi].map((end) => (kind === 'shl' ? end << BigInt(n) : end >> BigInt(n)));
    const from = made;
    const moved = within((d) => planeAtOrZero(from, kind === 'shl' ? d - n : d + n), wrapped({ lo, hi }, range));
    made = selected(g, bit, moved, made);
  }
  return made;
};

const planeAtOrZero = (x: Sliced, k: number): Plane => (k < 0 ? 0 : planeAt(x, k));

/** What a division by a power of two leaves, with the sign of the number. */
export const lowest = (g: Gates, x: Sliced, power: bigint): Sliced => {
  const rest = within((k) => planeAt(x, k), { lo: 0n, hi: power - 1n });
  if (x.lo >= 0n) return rest;
  const below = g.and(planeAt(x, x.planes.length - 1), g.not(equal(g, rest, constantOf(0n))));
  return selected(g, below, sumOf(g, [{ x: rest, negative: false }], -power, { lo: -power, hi: -1n }), rest);
};

/**
 * The quotient of a number by a constant other than 0, cut off towards zero, and what is left, which has the sign of the number: the multiples of
 * the divisor by powers of two are taken away where they fit, the largest first.
 */
export const divided = (g: Gates, x: Sliced, divisor: bigint): { readonly quotient: Sliced; readonly rest: Sliced } => {
  const by = divisor < 0n ? -divisor : divisor;
  const negative = x.lo < 0n ? planeAt(x, x.planes.length - 1) : 0;
  const opposite = (v: Sliced): Sliced => sumOf(g, [{ x: v, negative: true }], 0n, { lo: -v.hi, hi: -v.lo });
  const most = x.hi > -x.lo ? x.hi : -x.lo;
  const size = selected(g, negative, opposite(x), x);
  let rest = within((k) => planeAt(size, k), { lo: 0n, hi: most });
  const digits: Plane[] = [];
  for (let k = widthOf({ lo: 0n, hi: most / by }) - 1; k >= 0; k--) {
    const multiple = constantOf(by << BigInt(k));
    const fits = g.not(less(g, rest, multiple));
    const hi = multiple.hi - 1n < rest.hi ? multiple.hi - 1n : rest.hi;
    const taken = sumOf(g, [{ x: rest, negative: false }], -multiple.hi, {
      lo: -multiple.hi,
      hi: rest.hi - multiple.hi,
    });
    const chosen = selected(g, fits, taken, rest);
    rest = within((d) => planeAt(chosen, d), { lo: 0n, hi });
    digits[k] = fits;
  }
  const quotient = within((k) => digits[k] ?? 0, { lo: 0n, hi: most / by });
  const signed = (v: Sliced, minus: Plane): Sliced => (minus === 0 ? v : selected(g, minus, opposite(v), v));
  return {
    quotient: signed(quotient, divisor < 0n ? g.not(negative) : negative),
    rest: signed(rest, negative),
  };
};
