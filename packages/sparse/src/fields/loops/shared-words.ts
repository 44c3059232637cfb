import { mapRegions, mapShared, opWith, type Kernel, type Op, type Region } from '@filigree/ir';
import { writtenBy } from '../access/field-dialect.js';
import type { Layout } from '../layout/layout.js';

/** Whether an op writes an element of a bit array, which shares its word with others. */
export const writesBits = (layout: Layout, op: Op): boolean => {
  const placed = layout.fields.get(String(op.attrs.field));
  const leaf = placed && layout.nodes[placed.path[placed.path.length - 1]];
  return leaf?.stored?.inArray === true && writtenBy(op) > 0;
};

/**
 * Loops that ask for lanes and write elements of bit arrays run one iteration after another: what a lane, or a thread of a team, leaves of
 * the elements around its own would be what was there before the others wrote them.
 */
export const wordsInTurn = (layout: Layout, kernel: Kernel): Kernel => {
  if (!layout.nodes.some((n) => n.stored?.inArray)) return kernel;
  const writes = (op: Op): boolean => writesBits(layout, op) || op.regions.some((r) => r.ops.some(writes));
  const inTurn = (op: Op): Op => {
    const inner = mapRegions(op, visit);
    if (op.name !== 'scf.for' || op.attrs.simd !== true || !writes(op)) return inner;
    const { simd: _simd, ...attrs } = op.attrs;
    return opWith(inner, { attrs });
  };
  const visit = (region: Region): Region => {
    const ops = mapShared(region.ops, inTurn);
    return ops === region.ops ? region : { ...region, ops };
  };
  const body = visit(kernel.body);
  return body === kernel.body ? kernel : { ...kernel, body };
};
