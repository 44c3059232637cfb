import type { Op } from '@filigree/ir';

/** Whether the regions of an op hold no more than so many ops. Looks at no more than that. */
export const hasAtMost = (op: Op, most: number): boolean => rest(op, most) >= 0;

/** How many of so many are left, or less than none. */
const rest = (op: Op, most: number): number => {
  let left = most;
  for (const { ops } of op.regions) {
    left -= ops.length;
    for (const inner of ops) {
      if (left < 0) return left;
      if (inner.regions.length > 0) left = rest(inner, left);
    }
  }
  return left;
};
