import type { LoopCount, Scalar, Value } from '@filigree/ir';

/**
 * How often a loop runs, where that can be told; undefined otherwise. A step that is not known to be positive
 * may trap, so nothing is said about it.
 */
export const tripCount = (
  count: LoopCount | undefined,
  constantOf: (v: Value) => Scalar | undefined,
): bigint | undefined => {
  if (!count) return undefined;
  const known = (bound: Value | number): bigint | undefined =>
    integer(typeof bound === 'number' ? bound : constantOf(bound));
  const { lower, upper } = count;
  const step = known(count.step);
  if (step === undefined || step <= 0n) return undefined;
  if (typeof lower === 'object' && typeof upper === 'object' && lower.id === upper.id) return 0n;
  const lb = known(lower);
  const ub = known(upper);
  if (lb === undefined || ub === undefined) return undefined;
  return ub <= lb ? 0n : (ub - lb + step - 1n) / step;
};

const integer = (s: Scalar | undefined): bigint | undefined =>
  s === undefined || typeof s === 'boolean' ? undefined : BigInt(s);
