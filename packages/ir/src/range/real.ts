import type { Op } from '../kernel/op.js';
import { isFloat, type ScalarType, type Type } from '../kernel/type.js';
import { fullRange, rangeBetween, rangeOfValue, type IntegerRange } from './range.js';

/** What a float may be: from `lo` to `hi`, infinities included, and NaN where `nan` says so. */
export interface RealRange {
  readonly lo: number;
  readonly hi: number;
  readonly nan: boolean;
}

/** What a scalar may be. */
export type ValueRange = IntegerRange | RealRange;

export const anyReal: RealRange = { lo: -Infinity, hi: Infinity, nan: true };

export const isRealRange = (r: ValueRange | undefined): r is RealRange => r !== undefined && 'nan' in r;

/** Floats; scalars only. */
export const hasRealRange = (type: Type): type is 'f32' | 'f64' => typeof type === 'string' && isFloat(type);

export const joinReals = (a: RealRange, b: RealRange): RealRange => ({
  lo: Math.min(a.lo, b.lo),
  hi: Math.max(a.hi, b.hi),
  nan: a.nan || b.nan,
});

export const containsReals = (outer: RealRange, inner: RealRange): boolean =>
  outer.lo <= inner.lo && outer.hi >= inner.hi && (outer.nan || !inner.nan);

/** The largest number of a type that is less than another one. */
export const numberBelow = (x: number, type: ScalarType): number => {
  if (!Number.isFinite(x)) return x;
  if (x === 0) return -(type === 'f32' ? 2 ** -149 : Number.MIN_VALUE);
  const [floats, bits] =
    type === 'f32'
      ? ([Float32Array.of(x), (f: Float32Array) => new Int32Array(f.buffer)] as const)
      : ([Float64Array.of(x), undefined] as const);
  if (bits) {
    const one = floats as Float32Array;
    /* Where the number itself is none of the type, the nearest one may be it already. */
    if (one[0]! < x) return one[0]!;
    bits(one)[0]! += x > 0 ? -1 : 1;
    return one[0]!;
  }
  const word = new BigInt64Array(floats.buffer);
  word[0]! += x > 0 ? -1n : 1n;
  return floats[0]!;
};

/** The smallest number of a type that is more than another one. */
export const numberAbove = (x: number, type: ScalarType): number => 0 - numberBelow(0 - x, type);

/** What is in both, where that is not nothing; NaN where the first may be. */
export const meetReals = (a: RealRange, lo: number, hi: number, nan: boolean): RealRange => {
  const [from, to] = [Math.max(a.lo, lo), Math.min(a.hi, hi)];
  return from <= to ? { lo: from, hi: to, nan: a.nan && nan } : a;
};

/** The integers that a float may become: what lies between its ends without its fraction, the end of the type beyond that, and 0 for NaN. */
const wholeOf = ({ lo, hi, nan }: RealRange, type: ScalarType): IntegerRange => {
  const full = fullRange(type);
  const [from, to] = [lo, hi].map((x) => Math.min(full.hi, Math.max(full.lo, Math.trunc(x) + 0))) as [number, number];
  /* The end of a type of 64 bits, as a bound, is one more than it is. */
  const least = full.hi > Number.MAX_SAFE_INTEGER ? Math.min(from, numberBelow(full.hi, 'f64')) : from;
  return rangeBetween(type, nan ? Math.min(0, least) : least, nan ? Math.max(0, to) : to);
};

type RealRule = (op: Op, operands: readonly (ValueRange | undefined)[], type: ScalarType) => RealRange;

const reals =
  (rule: (given: readonly RealRange[], type: ScalarType) => RealRange): RealRule =>
  (op, operands, type) =>
    rule(
      op.operands.map((_, n) => {
        const r = operands[n];
        return isRealRange(r) ? r : anyReal;
      }),
      type,
    );

/**
 * What passes may make of a rounded sum or product, by adding in another order or rounding once for both: four units in the last place of the largest number in it.
 */
const loose = (lo: number, hi: number, most: number, type: ScalarType): readonly [number, number] => {
  const by = most * (type === 'f32' ? 2 ** -22 : 2 ** -51) + LEAST;
  const [from, to] = [lo - by, hi + by];
  return type === 'f32' ? [from < -LARGEST32 ? -Infinity : from, to > LARGEST32 ? Infinity : to] : [from, to];
};

/* What is larger is rounded to infinity, or may be. */
const LARGEST32 = 3.4e38;

/* As much as numbers near zero may be cut off by. */
const LEAST = 2 ** -126;

const finite = (...all: readonly RealRange[]): boolean =>
  all.every(({ lo, hi, nan }) => !nan && lo !== -Infinity && hi !== Infinity);

/** The largest number in some ranges, of those that their ends tell. */
const largest = (...all: readonly RealRange[]): number =>
  Math.max(0, ...all.flatMap(({ lo, hi }) => [Math.abs(lo), Math.abs(hi)].filter(Number.isFinite)));

const sum = (a: RealRange, b: RealRange, type: ScalarType): RealRange => {
  const nan = !finite(a, b);
  const [lo, hi] = loose(a.lo + b.lo, a.hi + b.hi, largest(a, b), type);
  if (Number.isNaN(lo) || Number.isNaN(hi)) return { ...anyReal };
  return { lo: a.lo >= 0 && b.lo >= 0 ? Math.max(0, lo) : lo, hi: a.hi <= 0 && b.hi <= 0 ? Math.min(0, hi) : hi, nan };
};

const opposite = ({ lo, hi, nan }: RealRange): RealRange => ({ lo: 0 - hi, hi: 0 - lo, nan });

const corners = (a: RealRange, b: RealRange, type: ScalarType, of: (x: number, y: number) => number): RealRange => {
  const all = [of(a.lo, b.lo), of(a.lo, b.hi), of(a.hi, b.lo), of(a.hi, b.hi)];
  if (all.some((x) => Number.isNaN(x))) return anyReal;
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const [lo, hi] = loose(least, most, largest({ lo: least, hi: most, nan: false }), type);
  return { lo: least >= 0 ? Math.max(0, lo) : lo, hi: most <= 0 ? Math.min(0, hi) : hi, nan: !finite(a, b) };
};

const product = (a: RealRange, b: RealRange, type: ScalarType): RealRange => corners(a, b, type, (x, y) => x * y);

/** Steps that are the same way up as their operand and round nothing. */
const stepwise = (of: (x: number) => number): RealRule =>
  reals(([a]) => ({ lo: of(a!.lo), hi: of(a!.hi), nan: a!.nan }));

/** Within bounds whatever the operand is; functions on lanes may be a little beyond. */
const bounded = (lo: number, hi: number): RealRule =>
  reals(([a]) => ({ lo: lo - 1e-5, hi: hi + 1e-5, nan: !finite(a!) }));

/**
 * The range of what an op gives as a float, by the name of the op; nothing of ops that may give anything. Bounds hold however passes round, and in whichever order they add.
 */
export const realRanges: Readonly<Partial<Record<string, RealRule>>> = {
  'arith.add': reals(([a, b], type) => sum(a!, b!, type)),
  'arith.sub': reals(([a, b], type) => sum(a!, opposite(b!), type)),
  'arith.mul': reals(([a, b], type) => product(a!, b!, type)),
  'arith.div': reals(([a, b], type) => (b!.lo > 0 || b!.hi < 0 ? corners(a!, b!, type, (x, y) => x / y) : anyReal)),
  'arith.rem': reals(([a, b], type) => {
    if (b!.lo <= 0 || !finite(a!, b!)) return anyReal;
    const most = numberBelow(b!.hi, type);
    return { lo: a!.lo >= 0 ? 0 : Math.max(-most, a!.lo), hi: a!.hi <= 0 ? 0 : Math.min(most, a!.hi), nan: false };
  }),
  'arith.neg': reals(([a]) => opposite(a!)),
  'arith.min': reals(([a, b]) => ({ lo: Math.min(a!.lo, b!.lo), hi: Math.min(a!.hi, b!.hi), nan: a!.nan || b!.nan })),
  'arith.max': reals(([a, b]) => ({ lo: Math.max(a!.lo, b!.lo), hi: Math.max(a!.hi, b!.hi), nan: a!.nan || b!.nan })),
  'arith.cast': (_op, [a], type) => {
    if (a === undefined) return anyReal;
    const round = type === 'f32' ? Math.fround : (x: number) => x;
    return { lo: round(a.lo), hi: round(a.hi), nan: isRealRange(a) && a.nan };
  },
  'math.fma': reals(([a, b, c], type) => sum(product(a!, b!, type), c!, type)),
  'math.abs': reals(([a]) => ({
    lo: a!.lo <= 0 && a!.hi >= 0 ? 0 : Math.min(Math.abs(a!.lo), Math.abs(a!.hi)),
    hi: Math.max(Math.abs(a!.lo), Math.abs(a!.hi)),
    nan: a!.nan,
  })),
  'math.floor': stepwise(Math.floor),
  'math.ceil': stepwise(Math.ceil),
  'math.trunc': stepwise(Math.trunc),
  'math.sqrt': reals(([a], type) => {
    if (a!.lo < 0) return { lo: 0, hi: Infinity, nan: true };
    const [lo, hi] = loose(Math.sqrt(a!.lo), Math.sqrt(a!.hi), Math.sqrt(largest(a!)), type);
    return { lo: Math.max(0, lo), hi, nan: a!.nan };
  }),
  'math.sin': bounded(-1, 1),
  'math.cos': bounded(-1, 1),
  'math.tanh': bounded(-1, 1),
};

/** What a comparison of floats gives for all of two ranges; nothing where that is not always the same. */
const compareReals = (op: Op, [a, b]: readonly RealRange[]): IntegerRange | undefined => {
  if (!a || !b || a.nan || b.nan) return undefined;
  const predicate = String(op.attrs['predicate']);
  const [x, y] = op.operands;
  const known = x!.id === y!.id ? ['eq', 'le', 'ge'].includes(predicate) : before(predicate, a, b);
  return known === undefined ? undefined : rangeOfValue(known ? 1 : 0);
};

const before = (predicate: string, a: RealRange, b: RealRange): boolean | undefined => {
  if (predicate === 'gt' || predicate === 'ge') return before(predicate === 'gt' ? 'lt' : 'le', b, a);
  if (predicate === 'lt') return a.hi < b.lo ? true : a.lo >= b.hi ? false : undefined;
  if (predicate === 'le') return a.hi <= b.lo ? true : a.lo > b.hi ? false : undefined;
  const apart = a.hi < b.lo || b.hi < a.lo;
  return apart ? predicate === 'ne' : undefined;
};

/** The range of what an op gives as an integer or a truth value where its operands are floats, by the name of the op. */
export const wholeRangesOfReals: Readonly<
  Partial<Record<string, (op: Op, operands: readonly RealRange[], type: ScalarType) => IntegerRange | undefined>>
> = {
  'arith.cast': (_op, [a], type) => (type === 'i1' ? undefined : wholeOf(a!, type)),
  'arith.cmp': compareReals,
};
