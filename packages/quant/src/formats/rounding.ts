import { scalarOf, type Builder, type Value } from '@filigree/ir';
import { ieeeOf } from './ieee.js';

/**
 * What is added to a number of steps of which the fraction is then cut off: the largest number below a half, away from zero. A half itself
 * would lift numbers just below a middle, whose sum is rounded.
 *
 * @param x has the sign of the steps
 */
export const halfAway = (b: Builder, x: Value, of: 'f32' | 'f64', signed: boolean): Value => {
  const { constant, word, sign, bitsOf } = ieeeOf(of);
  const half = constant(b, bitsOf(of === 'f32' ? 0.5 - 2 ** -25 : 0.5 - 2 ** -54));
  return b.bitcast(signed ? b.or(b.and(b.bitcast(x, word), constant(b, sign)), half) : half, of);
};

/** A number of steps that is in no middle, rounded, as a u32: a sum with a float so large that its last bit is a step has the steps in its lowest bits. */
export const countsInLowestBits = (b: Builder, steps: Value): Value =>
  b.cast(b.bitcast(b.add(steps, b.f64(STEPS_BELOW)), 'u64'), 'u32');

/** Steps nearest to so many halves of them, which were cut off towards zero; both are i64. */
export const countsFromHalves = (b: Builder, halves: Value, signed: boolean): Value => {
  const count = (n: bigint): Value => b.constant(n, 'i64');
  const up = signed ? b.add(count(1n), b.shr(halves, count(63n))) : count(1n);
  return b.shr(b.add(halves, up), count(1n));
};

export const asFloat = (b: Builder, x: Value, to: 'f32' | 'f64'): Value =>
  scalarOf(x.type) === to ? x : b.cast(x, to);

/** A float of which the last bit of the fraction is 1, and that leaves room for steps of either sign. */
const STEPS_BELOW = 1.5 * 2 ** 52;
