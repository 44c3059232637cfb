import { isFloat, isVector, type Op, type Region } from '@filigree/ir';

/**
 * The innermost loop of a nest that has one loop in each, if all that it does is to add up vectors, or in an inner loop numbers, which compilers may add up as such; the loops around it hand on nothing. Beside the nest there may be other
 * loops in the region, as those that put a function on the sums.
 */
export const sumsOf = (region: Region): Op | undefined => {
  for (const op of region.ops) {
    const found = op.regions.length > 0 ? sumsIn(op, false) : undefined;
    if (found) return found;
  }
  return undefined;
};

/** Whether an op is a parallel loop with such a nest in it. */
export const isNestOfSums = ({ name, attrs, results, regions }: Op): boolean =>
  name === 'scf.for' && attrs['parallel'] === true && results.length === 0 && sumsOf(regions[0]!) !== undefined;

const sumsIn = (loop: Op, isInner: boolean): Op | undefined => {
  if (loop.name !== 'scf.for' || loop.attrs['parallel'] === true) return undefined;
  const inner = loop.regions[0]!.ops.filter((op) => op.regions.length > 0);
  if (inner.length > 0) return inner.length === 1 && loop.results.length === 0 ? sumsIn(inner[0]!, true) : undefined;
  const numbers = isInner && loop.attrs['independent'] === true;
  const adds = loop.results.every((v) => isVector(v.type) || (numbers && isFloat(v.type)));
  return loop.results.length > 0 && adds ? loop : undefined;
};
