import { gcd } from './gcd.js';

/**
 * The direction of a face over some iterators, outermost first. Interned: equal directions are one object, so that faces of
 * many small polyhedra are compared and extended without looking at numbers.
 */
export interface Normal {
  readonly coefs: readonly number[];
  /** The same face over one more iterator outside, by its slope in it. */
  readonly outer: Map<number, Normal>;
}

/**
 * The integer points x with normals[f] · x ≤ bounds[f]. `corners` are points of it, with every vertex of their convex hull
 * among them.
 */
export interface Polyhedron {
  readonly dims: number;
  readonly normals: readonly Normal[];
  readonly bounds: readonly number[];
  readonly corners: readonly (readonly number[])[];
  /** max a · x over the points, as far as it was asked for. */
  readonly supports: Map<Normal, number>;
}

/** One iteration of an outermost loop, moved by `shift` within the inner ones. Slices between two that are given are like both. */
export interface Slice {
  readonly s: number;
  readonly polyhedron: Polyhedron;
  readonly shift: readonly number[] | undefined;
}

/** The polyhedron without iterators. */
export const POINT: Polyhedron = { dims: 0, normals: [], bounds: [], corners: [[]], supports: new Map() };

/**
 * One polyhedron from its slices along a new outermost iterator, with exactly their points; undefined where a polyhedron
 * with these directions of faces has more. For each direction the bounds of the slices lie under a least concave envelope:
 * its edges are faces of the whole, and a slice is exact if rounding the envelope down gives its bound back.
 */
export const stacked = (slices: readonly Slice[]): Polyhedron | undefined => {
  const normals: Normal[] = [];
  const bounds: number[] = [];
  const b = new Array<number>(slices.length);
  for (const a of directions(slices)) {
    for (let k = 0; k < slices.length; k++) b[k] = supportOf(slices[k], a);
    if (!addFaces(a, slices, b, normals, bounds)) return undefined;
  }
  const { dims } = slices[0].polyhedron;
  normals.push(bottom(dims), top(dims));
  bounds.push(-slices[0].s, slices[slices.length - 1].s);
  const corners: (readonly number[])[] = [];
  for (const { s, polyhedron, shift } of slices) {
    for (const x of polyhedron.corners) corners.push([s, ...(shift === undefined ? x : x.map((v, d) => v + shift[d]))]);
  }
  return corners.length > MAX_CORNERS ? undefined : { dims: dims + 1, normals, bounds, corners, supports: new Map() };
};

/** A limit on the work that a face costs. */
const MAX_CORNERS = 1024;

const directions = (slices: readonly Slice[]): readonly Normal[] => {
  const first = slices[0].polyhedron.normals;
  if (slices.every((s) => s.polyhedron.normals === first)) return first;
  const all = new Set(first);
  for (const s of slices) for (const a of s.polyhedron.normals) all.add(a);
  return [...all];
};

const supportOf = ({ polyhedron, shift }: Slice, a: Normal): number => {
  let value = polyhedron.supports.get(a);
  if (value === undefined) {
    value = -Infinity;
    for (const x of polyhedron.corners) {
      const v = dot(a.coefs, x);
      if (v > value) value = v;
    }
    polyhedron.supports.set(a, value);
  }
  return shift === undefined ? value : value + dot(a.coefs, shift);
};

/** Adds the edges of the envelope of b; false if rounding it down leaves b. */
const addFaces = (
  a: Normal,
  slices: readonly { readonly s: number }[],
  b: readonly number[],
  normals: Normal[],
  bounds: number[],
): boolean => {
  const n = slices.length;
  if (n === 1) {
    normals.push(extended(a, 0, 1));
    bounds.push(b[0]);
    return true;
  }
  let i = 0;
  while (i < n - 1) {
    /* The edge from i: the steepest slope to a later slice, the furthest of equals. */
    let j = i + 1;
    for (let k = i + 2; k < n; k++) {
      if ((b[k] - b[i]) * (slices[j].s - slices[i].s) >= (b[j] - b[i]) * (slices[k].s - slices[i].s)) j = k;
    }
    const rise = b[j] - b[i];
    const steps = slices[j].s - slices[i].s;
    for (let k = i + 1; k < j; k++) {
      if (Math.floor((rise * (slices[k].s - slices[i].s)) / steps) !== b[k] - b[i]) return false;
    }
    const g = gcd(Math.abs(rise), steps);
    const num = rise / g;
    const den = steps / g;
    normals.push(extended(a, num, den));
    bounds.push(den * b[i] - num * slices[i].s);
    i = j;
  }
  return true;
};

/** The direction den·a − num·s. */
const extended = (a: Normal, num: number, den: number): Normal => {
  const key = num * 4096 + den;
  const exact = den < 4096 && Math.abs(num) < 2 ** 40;
  let n = exact ? a.outer.get(key) : undefined;
  if (n === undefined) {
    n = { coefs: [num === 0 ? 0 : -num, ...a.coefs.map((c) => c * den)], outer: new Map() };
    if (exact) a.outer.set(key, n);
  }
  return n;
};

const bottoms: Normal[] = [];
const tops: Normal[] = [];
const bottom = (inner: number): Normal => (bottoms[inner] ??= unit(inner, -1));
const top = (inner: number): Normal => (tops[inner] ??= unit(inner, 1));
const unit = (inner: number, first: number): Normal => ({
  coefs: [first, ...new Array<number>(inner).fill(0)],
  outer: new Map(),
});

const dot = (a: readonly number[], x: readonly number[]): number => {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += a[d] * x[d];
  return sum;
};
