import type { Builder, LoopCount, Value } from '@filigree/ir';
import type { Again, Known } from './again.js';

/** The bounds of a counted loop. */
export const boundsOf = (
  b: Builder,
  again: Again,
  { lower, upper, step }: LoopCount,
  known: Known,
): { readonly lower: Value; readonly upper: Value; readonly step: Value } => {
  const type = [lower, upper, step].find((x): x is Value => typeof x !== 'number')?.type ?? 'i32';
  const value = (x: Value | number): Value => (typeof x === 'number' ? b.constant(x, type) : again.value(known, x));
  return { lower: value(lower), upper: value(upper), step: value(step) };
};
