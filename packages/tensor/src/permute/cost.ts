import type { LogMapping } from './mapping.js';

/** What the choice of index permutations minimises: sums of vectors over all contractions, compared (§4.5.2). */
export interface CostModel {
  readonly name: string;
  /** The cost of one loop over products of matrices; vectors of one model have one length. */
  readonly log: (mapping: LogMapping) => readonly number[];
  /** The cost of copying a sparse tensor into a dense temporary with this many elements. */
  readonly copy: (elements: number) => readonly number[];
  readonly compare: (a: readonly number[], b: readonly number[]) => number;
}

/**
 * The tuple (s, l, r, −f) of §4.5.2: slices without unit stride, left and right transposes, fused indices; compared by
 * (s, l + r, −f) and then by l. Beyond the paper, sums that are left to loops and copies of sparse tensors count as slices.
 */
export const fusionCost: CostModel = {
  name: 'fusion',
  log: ({ slices, transposeLeft, transposeRight, m, n, k }) => [
    slices,
    transposeLeft ? 1 : 0,
    transposeRight ? 1 : 0,
    -(m.length + n.length + k.length),
  ],
  copy: () => [1, 0, 0, 0],
  compare: (a, b) => a[0] - b[0] || a[1] + a[2] - (b[1] + b[2]) || a[3] - b[3] || a[1] - b[1],
};
