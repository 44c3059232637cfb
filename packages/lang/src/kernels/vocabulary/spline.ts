import { i32 } from './casts.js';
import { assumeInRange } from './hints.js';
import { inlined } from './inline.js';
import { ndrange } from './loops.js';
import type { Mat, Vec } from './vec-types.js';
import { mat, vec } from './vec.js';

/* Names that nothing else in this package has, since bundlers rewrite those of imports. */
const splineRows = mat;
const wholeNodes = i32;
const withinBlock = assumeInRange as unknown as <N extends number>(
  x: Vec<N>,
  low: Corner<N>,
  lo: number,
  side: number,
) => Vec<N>;

/** The first node of a block. */
type Corner<N extends number> = Vec<N> | readonly number[];

/** Where a point lies between the nodes of a grid, and how much of it goes to each. */
export interface Spline<N extends number> {
  /** The first of three nodes along each axis. */
  readonly base: Vec<N>;
  /** The point less the base, from ½ to 1½. */
  readonly offset: Vec<N>;
  /** `weights[a]`: the weight of node base + a along each axis; that of a node is the product over the axes. */
  readonly weights: Mat<3, N>;
}

/**
 * The quadratic B-spline around a point, given in units of the grid's spacing: `quadraticSpline(x[p].mul(n))`. Weights are
 * ½ (3⁄2 − f)², ¾ − (f − 1)², ½ (f − ½)² of the offset f, and sum to 1 along each axis (Steffen, Kirby & Berzins 2008).
 * With `low` and `side` it is promised that the base lies in the block of so many nodes a side that begins at `low`, as
 * `assumeInRange` does.
 */
export const quadraticSpline = inlined(
  <N extends number>(point: Vec<N>, low?: Corner<N>, side?: number): Spline<N> => {
    const nearest = wholeNodes(point.sub(0.5).floor());
    const base = side === undefined ? nearest : withinBlock(nearest, low!, 0, side);
    const offset = point.sub(base);
    const weights = splineRows(
      offset.sub(1.5).pow(2).div(2),
      offset.sub(1).pow(2).neg().add(0.75),
      offset.sub(0.5).pow(2).div(2),
    ) as Mat<3, N>;
    return { base, offset, weights };
  },
  { splineRows, wholeNodes, withinBlock },
);

/** A node around a point, its weight, and how far it is from the point along each axis. */
export type SplineNode<N extends number> = readonly [node: Vec<N>, weight: number, away: Vec<N>];

/**
 * The 3ᴺ nodes of a spline, the last axis fastest: `for (const [node, weight, away] of splineNodes(spline)) …`. A point, and a block
 * that its base is promised to lie in, may be given as to `quadraticSpline` instead. In a kernel the loop is unrolled, as if it
 * were written with `unrolled(ndrange(3, 3))`.
 */
export function splineNodes<N extends number>(spline: Spline<N>): readonly SplineNode<N>[];
export function splineNodes<N extends number>(point: Vec<N>, low?: Corner<N>, side?: number): readonly SplineNode<N>[];
export function splineNodes<N extends number>(
  at: Spline<N> | Vec<N>,
  low?: Corner<N>,
  side?: number,
): readonly SplineNode<N>[] {
  const { base, offset, weights } = 'base' in at ? at : quadraticSpline(at, low, side);
  return [...ndrange(...Array.from(base, () => 3))].map((steps) => {
    const step = vec(...(steps as readonly number[])) as unknown as Vec<N>;
    const weight = (steps as readonly number[]).reduce((product, s, axis) => product * weights[s][axis], 1);
    return [base.add(step), weight, step.sub(offset)];
  });
}
