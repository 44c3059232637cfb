import {
  definitions,
  mapRegions,
  mapShared,
  opWith,
  useCounts,
  walk,
  type Attrs,
  type Kernel,
  type Op,
  type OpTable,
  type Region,
} from '@filigree/ir';
import { accumulatorsOf } from '@filigree/opt';
import type { Layout } from '@filigree/sparse/fields';
import { areIterationsApart } from '@filigree/sparse/lowering';

/** Whether the iterations of a loop depend on one another by nothing. */
export const runsInAnyOrder = ({ name, attrs, operands }: Op): boolean =>
  name === 'scf.for' && (attrs.simd === true || attrs[MARK] === true) && operands.length === 3;

/**
 * The loops whose reverse runs in any order: an iteration of them hands on nothing but sums, and no other one reads or writes what it writes, but adds to it. So their reverse takes the adjoints of its own elements, adds to those of others, and hands the adjoints
 * of the sums on as they are.
 */
export const reversesInAnyOrder = ({ body }: Kernel, layout: Layout, table: OpTable): ((loop: Op) => boolean) => {
  const made = definitions(body);
  return (loop) =>
    runsInAnyOrder(loop) ||
    (loop.name === 'scf.for' &&
      accumulatorsOf(loop)?.every((kind) => kind === 'add') === true &&
      areIterationsApart(layout, table, made, withoutSums(loop)));
};

/** A loop without what it adds to fields of which it does nothing else: of these the reverse only reads the adjoints. */
const withoutSums = (loop: Op): Op => {
  const isSum = (op: Op): boolean => op.name === 'field.atomic' && op.attrs.kind === 'add';
  const others = new Set<unknown>();
  const used = useCounts(loop.regions[0]);
  walk(loop.regions[0], (op) => {
    if (op.attrs.field !== undefined && (!isSum(op) || used.has(op.results[0].id))) others.add(op.attrs.field);
  });
  const without = (region: Region): Region => ({
    ...region,
    ops: region.ops.flatMap((op) => (isSum(op) && !others.has(op.attrs.field) ? [] : [mapRegions(op, without)])),
  });
  return mapRegions(loop, without);
};

const MARK = 'anyOrder';

/**
 * Says of the loop of an adjoint that its iterations depend on one another by sums alone: they may run in any order, and not at once. Only within this
 * package: `inOrder` takes it away.
 */
export const ANY_ORDER: Attrs = { [MARK]: true };

const DONE = 'gathered';

/** Says of a loop of an adjoint that it is what is left where the inner part of a box gathers: nothing is turned round in it. Only within this package, too. */
export const EDGE: Attrs = { [DONE]: true };

/** Whether a loop is such an edge. */
export const isEdge = ({ attrs }: Op): boolean => attrs[DONE] === true;

/** A region without what `ANY_ORDER` and `EDGE` say. */
export const inOrder = (region: Region): Region => {
  const ops = mapShared(region.ops, (op) => {
    const inside = mapRegions(op, inOrder);
    if (inside.attrs[MARK] === undefined && inside.attrs[DONE] === undefined) return inside;
    const { [MARK]: _, [DONE]: __, ...attrs } = inside.attrs;
    return opWith(inside, { attrs });
  });
  return ops === region.ops ? region : { ...region, ops };
};
