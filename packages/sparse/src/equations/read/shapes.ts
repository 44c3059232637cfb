import { fail } from '@filigree/ir';
import { evaluateAffine, type Affine } from '../../trace/piece.js';
import { shiftedBy, type Conjunction } from '../sets/conjunction.js';
import { somePoint } from '../sets/some-point.js';
import { outsideOf } from './bounds.js';
import { rangeOf } from '../sets/integer-points.js';

/** An access to a buffer by one index, as the IR has it, and the iterations that make it. */
export interface FlatAccess {
  readonly array: string;
  readonly index: Affine;
  readonly domain: readonly Conjunction[];
}

export interface Shape {
  readonly shape: readonly number[];
  /** One subscript a dimension. */
  readonly split: (index: Affine) => readonly Affine[];
}

/**
 * The array of several dimensions that lies row by row in a buffer: row lengths are found among the coefficients of the
 * indices, and hold if every subscript but the first stays within its extent at every iteration. One dimension always holds.
 */
export const delinearise = (length: number, accesses: readonly FlatAccess[], given?: readonly number[]): Shape => {
  if (given !== undefined) {
    const size = given.reduce((n, x) => n * x, 1);
    if (size !== length)
      fail('equations/shape', `a buffer of ${length} elements has no shape ${given.join(' × ')}`, {
        remedy: 'give the shape of all its elements',
      });
    const shape = shapeOf(given, accesses);
    if (shape !== undefined) return shape;
  }
  const strides = new Set<number>();
  for (const { index } of accesses)
    for (const c of index.coefs)
      if (Math.abs(c) > 1 && length % Math.abs(c) === 0 && Math.abs(c) < length) strides.add(Math.abs(c));
  const found = [...strides].sort((a, b) => b - a);
  /* All strides that divide one another, then fewer. */
  for (const chain of chains(found)) {
    const shape = shapeOf(extents(length, chain), accesses);
    if (shape !== undefined) return shape;
  }
  return shapeOf([length], accesses) ?? { shape: [length], split: (f) => [f] };
};

const chains = (strides: readonly number[]): readonly (readonly number[])[] => {
  const all: number[][] = [[]];
  for (const s of strides)
    for (const c of [...all]) if (all.length < 64 && (c.length === 0 || c[c.length - 1] % s === 0)) all.push([...c, s]);
  return all.filter((c) => c.length > 0).sort((a, b) => b.length - a.length);
};

/** Extents from the strides of all dimensions but the last. */
const extents = (length: number, strides: readonly number[]): readonly number[] =>
  [length, ...strides].map((s, k) => s / (strides[k] ?? 1));

const shapeOf = (shape: readonly number[], accesses: readonly FlatAccess[]): Shape | undefined => {
  const strides = shape.map((_, k) => shape.slice(k + 1).reduce((n, x) => n * x, 1));
  /* One index means one element, wherever it stands. */
  const indices = new Map<string, { readonly index: Affine; readonly domain: Conjunction[] }>();
  for (const { index, domain } of accesses) {
    const same = indices.get(keyOf(index));
    if (same === undefined) indices.set(keyOf(index), { index, domain: [...domain] });
    else same.domain.push(...domain);
  }
  const known = new Map<string, readonly Affine[]>();
  for (const [key, { index, domain }] of indices) {
    /* Subscripts within their extents are the only ones, so whichever guess gives them is right. */
    const split = firstOf(guessesOf(index, strides), (guess) => within(guess, shape, domain));
    if (split === undefined) return undefined;
    known.set(key, split);
  }
  return { shape, split: (f) => known.get(keyOf(f)) ?? splitBy(Math.round, f, strides) };
};

const keyOf = (f: Affine): string => `${f.constant}:${f.coefs.join()}`;

const firstOf = <A, B>(all: Iterable<A>, to: (a: A) => B | undefined): B | undefined => {
  for (const a of all) {
    const b = to(a);
    if (b !== undefined) return b;
  }
  return undefined;
};

type Rounding = (x: number) => number;

const ROUNDINGS: readonly Rounding[] = [Math.round, Math.trunc, Math.floor, Math.ceil];

/** Most ways of rounding the coefficients of one index that are tried. */
const MOST_GUESSES = 64;

/**
 * Subscripts that an index may stand for. Coefficients may have to be rounded each in its own way: in rows of five, 4·i + 3·t
 * may be column 3·t − i of row i.
 */
function* guessesOf(index: Affine, strides: readonly number[]): Generator<readonly Affine[]> {
  for (const to of ROUNDINGS) yield splitBy(to, index, strides);
  const constant = digits(Math.floor, index.constant, strides);
  let ways: (readonly (readonly number[])[])[] = [[]];
  for (const c of index.coefs) {
    const own = new Map(ROUNDINGS.map((to) => digits(to, c, strides)).map((d) => [d.join(), d]));
    ways = ways.flatMap((before) => [...own.values()].map((d) => [...before, d])).slice(0, MOST_GUESSES);
  }
  for (const coefs of ways) yield subscriptsOf(constant, coefs);
}

const splitBy = (to: Rounding, index: Affine, strides: readonly number[]): readonly Affine[] =>
  subscriptsOf(
    digits(to, index.constant, strides),
    index.coefs.map((c) => digits(to, c, strides)),
  );

const subscriptsOf = (constant: readonly number[], coefs: readonly (readonly number[])[]): readonly Affine[] =>
  constant.map((c, k) => ({ constant: c, coefs: coefs.map((d) => d[k]) }));

const digits = (to: Rounding, n: number, strides: readonly number[]): number[] => {
  let rest = n;
  return strides.map((s) => {
    const digit = to(rest / s);
    rest -= digit * s;
    return digit === 0 ? 0 : digit;
  });
};

/** The same index with subscripts within their extents, by moving whole rows; undefined where that cannot be. */
const within = (
  split: readonly Affine[],
  shape: readonly number[],
  domain: readonly Conjunction[],
): readonly Affine[] | undefined => {
  const out = [...split];
  for (let k = out.length - 1; k > 0; k--) {
    const rows = rowOf(out[k], shape[k], domain);
    if (rows === undefined) return undefined;
    if (rows === 0) continue;
    out[k] = { ...out[k], constant: out[k].constant - rows * shape[k] };
    out[k - 1] = { ...out[k - 1], constant: out[k - 1].constant + rows };
  }
  return out;
};

/** The multiple of an extent that a function has at every iteration; undefined where it has several. */
const rowOf = (f: Affine, extent: number, domain: readonly Conjunction[]): number | undefined => {
  const ranges = domain.map((set) => rangeOf(set, f)).filter((r) => r !== undefined);
  if (ranges.length === 0) return 0;
  const row = Math.floor(Math.min(...ranges.map((r) => r.min)) / extent);
  if (Math.max(...ranges.map((r) => r.max)) < (row + 1) * extent) return row;
  /* The ranges may be those of points between iterations: what one iteration has all have, or there are several. */
  const points = domain.map((set) => somePoint(set)).filter((p) => p !== undefined);
  if (points.length === 0) return 0;
  const [point] = points;
  if (point === 'unknown') return undefined;
  const own = Math.floor(evaluateAffine(f, point) / extent);
  const rest = shiftedBy(f, -own * extent);
  return domain.every((set) => outsideOf(set, rest, extent) === undefined) ? own : undefined;
};
