import { bufferName, type Op, type Region } from '@filigree/ir';
import type { AffineForms } from '../support/affine.js';
import { constantOfOp } from '../support/constant-in.js';
import { observed, type Facts } from '../support/facts.js';
import { accessOf, elementMap, placeOf } from './element-map.js';

/** The region without stores that a later store of the same region overwrites before anything may read them. */
export const withoutDeadStores = (region: Region, facts: Facts, forms: AffineForms): Region => {
  for (const op of region.ops) forms.note(op, constantOfOp(op, facts));
  /** Places that are written again further on, with no read in between. */
  const overwritten = elementMap<true>();
  const kept: Op[] = [];
  let same = true;
  for (let i = region.ops.length - 1; i >= 0; i--) {
    const op = region.ops[i]!;
    if (op.regions.length > 0) {
      const regions = op.regions.map((r) => withoutDeadStores(r, facts, forms));
      const changed = regions.some((r, k) => r !== op.regions[k]);
      if (changed) same = false;
      overwritten.forgetBuffers(observed(facts.footprint(op)));
      kept.push(changed ? { ...op, regions } : op);
      continue;
    }
    const access = facts.def(op) && accessOf(op);
    if (!access) overwritten.forgetBuffers(observed(facts.footprint(op)));
    else {
      const place = placeOf(bufferName(op), access.index, access.element, forms);
      if (access.kind === 'load') overwritten.forgetOverlaps(place);
      else if (overwritten.get(place)) {
        same = false;
        continue;
      } else overwritten.set(place, true);
    }
    kept.push(op);
  }
  return same ? region : { ...region, ops: kept.reverse() };
};
