import type { Op, Region, Value } from '@filigree/ir';
import { terminatorOf } from '../support/values.js';

/**
 * Ids of the values in a loop that may differ from one of its iterations to another, if all of them ran side by side: the
 * counter, what is computed from it, and what inner loops carry or branches yield of that.
 */
export const laneVaryingIn = (loop: Op): ReadonlySet<number> => {
  const varying = new Set([loop.regions[0]!.params[0]!.id]);
  const add = (v: Value, differs: boolean): void => void (differs && varying.add(v.id));
  const has = (v: Value | undefined): boolean => v !== undefined && varying.has(v.id);
  const visit = (region: Region): void => {
    for (const op of region.ops) {
      if (op.name === 'scf.while') visitWhile(op);
      else visitOther(op);
      op.regions.forEach(visit);
    }
  };
  const visitOther = (op: Op): void => {
    const decides = op.name === 'scf.for' ? op.operands.slice(0, 3) : op.operands;
    const differs = decides.some(has);
    op.results.forEach((r, k) => add(r, differs || carries(op, k, varying)));
    if (op.name === 'scf.for') op.results.forEach((r, k) => add(op.regions[0]!.params[k + 1]!, has(r)));
  };
  /* Where lanes go on and others have ended, all that it carries differs. */
  const visitWhile = (op: Op): void => {
    const [before, after] = op.regions as readonly [Region, Region];
    const [goesOn, ...values] = terminatorOf(before).operands;
    const next = terminatorOf(after).operands;
    before.params.forEach((p, k) => add(p, has(goesOn) || has(op.operands[k]) || has(next[k])));
    op.results.forEach((r, k) => {
      const differs = has(goesOn) || has(values[k]);
      add(r, differs);
      add(after.params[k]!, differs);
    });
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
