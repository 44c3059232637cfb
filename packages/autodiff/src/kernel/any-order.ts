import { mapRegions, mapShared, opWith, type Attrs, type Op, type Region } from '@filigree/ir';

/** Whether the iterations of a loop depend on one another by nothing. */
export const runsInAnyOrder = ({ name, attrs, operands }: Op): boolean =>
  name === 'scf.for' && (attrs.simd === true || attrs[MARK] === true) && operands.length === 3;

const MARK = 'anyOrder';

/**
 * Says of the loop of an adjoint that its iterations depend on one another by sums alone: they may run in any order, and not at once. Only within this
 * package: `inOrder` takes it away.
 */
export const ANY_ORDER: Attrs = { [MARK]: true };

/** A region without what `ANY_ORDER` says. */
export const inOrder = (region: Region): Region => {
  const ops = mapShared(region.ops, (op) => {
    const inside = mapRegions(op, inOrder);
    if (inside.attrs[MARK] === undefined) return inside;
    const { [MARK]: _, ...attrs } = inside.attrs;
    return opWith(inside, { attrs });
  });
  return ops === region.ops ? region : { ...region, ops };
};
