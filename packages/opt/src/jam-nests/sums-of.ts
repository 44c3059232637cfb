import { isVector, type Op, type Region } from '@filigree/ir';

/** The innermost loop of a nest that has one loop in each, if all that it does is to add up vectors; the loops around it hand on nothing. */
export const sumsOf = ({ ops }: Region): Op | undefined => {
  const inner = ops.filter((op) => op.regions.length > 0);
  const [loop] = inner;
  if (inner.length !== 1 || loop!.name !== 'scf.for' || loop!.attrs['parallel'] === true) return undefined;
  const isInnermost = loop!.regions[0]!.ops.every((op) => op.regions.length === 0);
  if (!isInnermost) return loop!.results.length === 0 ? sumsOf(loop!.regions[0]!) : undefined;
  return loop!.results.length > 0 && loop!.results.every((v) => isVector(v.type)) ? loop : undefined;
};
