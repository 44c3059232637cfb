import { fail } from '@filigree/ir';
import type { Affine } from '../../trace/piece.js';
import { rangeOf, type Conjunction } from '../sets/conjunction.js';

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
  const known = new Map<string, readonly Affine[]>();
  for (const { index, domain } of accesses) {
    const key = `${index.constant}:${index.coefs.join()}`;
    const before = known.get(key);
    /* Subscripts within their extents are the only ones, so whichever guess gives them is right. */
    const guesses = before ? [before] : [Math.round, Math.trunc, Math.floor].map((to) => splitBy(to, index, strides));
    const split = guesses.map((guess) => within(guess, shape, domain)).find((fits) => fits !== undefined);
    if (split === undefined) return undefined;
    /* One index means one element, wherever it stands. */
    if (before !== undefined && split.some((f, k) => f.constant !== before[k].constant)) return undefined;
    known.set(key, split);
  }
  return { shape, split: (f) => known.get(`${f.constant}:${f.coefs.join()}`) ?? splitBy(Math.round, f, strides) };
};

type Rounding = (x: number) => number;

const splitBy = (to: Rounding, index: Affine, strides: readonly number[]): Affine[] => {
  const coefs = index.coefs.map((c) => digits(to, c, strides));
  const constant = digits(to, index.constant, strides);
  return strides.map((_, k) => ({ constant: constant[k], coefs: coefs.map((c) => c[k]) }));
};

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
    const ranges = domain.map((set) => rangeOf(set, out[k])).filter((r) => r !== undefined);
    if (ranges.length === 0) continue;
    const min = Math.min(...ranges.map((r) => r.min));
    const max = Math.max(...ranges.map((r) => r.max));
    const rows = Math.floor(min / shape[k]);
    if (max - rows * shape[k] >= shape[k]) return undefined;
    if (rows === 0) continue;
    out[k] = { ...out[k], constant: out[k].constant - rows * shape[k] };
    out[k - 1] = { ...out[k - 1], constant: out[k - 1].constant + rows };
  }
  return out;
};
