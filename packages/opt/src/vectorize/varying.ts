import type { Op, Region } from '@filigree/ir';
import { terminatorOf } from '../support/values.js';

/**
 * Ids of the values in a loop that may differ from one of its iterations to another, if all of them ran side by side: the
 * counter, what is computed from it, and what inner loops carry or branches yield of that.
 */
export const varyingIn = (loop: Op): ReadonlySet<number> => {
  const varying = new Set([loop.regions[0]!.params[0]!.id]);
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      const decides = op.name === 'scf.for' ? op.operands.slice(0, 3) : op.operands;
      const differs = decides.some((v) => varying.has(v.id));
      op.results.forEach((r, k) => (differs || carries(op, k, varying)) && varying.add(r.id));
      if (op.name === 'scf.for')
        op.results.forEach((r, k) => varying.has(r.id) && varying.add(op.regions[0]!.params[k + 1]!.id));
      op.regions.forEach(visit);
    }
  };
  /* What an inner loop carries comes round to its beginning. */
  for (let size = 0; size < varying.size;) {
    size = varying.size;
    visit(loop.regions[0]!);
  }
  return varying;
};

/** Whether a value that goes into a result of an op with regions varies. */
const carries = (op: Op, result: number, varying: ReadonlySet<number>): boolean =>
  op.regions.some((r) => varying.has(terminatorOf(r).operands[result]?.id ?? -1)) ||
  (op.name === 'scf.for' && varying.has(op.operands[result + 3]!.id));
