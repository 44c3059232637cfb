import type { BatchMapping, LogMapping } from './mapping.js';

/** What the choice of index permutations minimises: sums of vectors over all contractions, compared (§4.5.2). */
export interface CostModel {
  readonly name: string;
  /** The cost of one loop over products of matrices; vectors of one model have one length. */
  readonly log: (mapping: LogMapping) => readonly number[];
  /** The cost of products side by side on lanes. */
  readonly batch: (mapping: BatchMapping) => readonly number[];
  /** The cost of copying a sparse tensor into a dense temporary with this many elements. */
  readonly copy: (elements: number) => readonly number[];
  readonly compare: (a: readonly number[], b: readonly number[]) => number;
}

/**
 * The tuple (s, l, r, −f) of §4.5.2: slices without unit stride, left and right transposes, fused indices; compared by
 * (s, l + r, −f) and then by l. Beyond the paper, sums left to loops and copies of sparse tensors count as slices; products side by side
 * have none, and all of their indices are as good as fused: loops around lanes cost nothing.
 */
export const fusionCost: CostModel = {
  name: 'fusion',
  log: ({ slices, transposeLeft, transposeRight, m, n, k }) => [
    slices,
    transposeLeft ? 1 : 0,
    transposeRight ? 1 : 0,
    -(m.length + n.length + k.length),
  ],
  batch: ({ m, n, k }) => [0, 0, 0, -(1 + m.length + n.length + k.length)],
  copy: () => [1, 0, 0, 0],
  compare: (a, b) => a[0] - b[0] || a[1] + a[2] - (b[1] + b[2]) || a[3] - b[3] || a[1] - b[1],
};

/** Nanoseconds that small matrix products take on one machine. */
export interface GemmTimes {
  /** For a product without any work. */
  readonly call: number;
  /** For a multiply-add of one vector. */
  readonly multiply: number;
  /** For loading and storing one vector of C. */
  readonly store: number;
  /** For reading one element that no vector load reaches: of transposed or strided A, and of strided C. */
  readonly gather: number;
  /** Elements of a vector. */
  readonly lanes: number;
}

/** Fitted to LIBXSMM's f64 products of 8×9×9 to 56×9×56 on a machine with 32-byte vectors and a peak of 85 GF/s. */
export const defaultGemmTimes: GemmTimes = { call: 10, multiply: 0.094, store: 0.8, gather: 0.5, lanes: 4 };

/** Chooses index permutations by time: a model of each product, times how often it is called (§4.5.3). */
export const timeCost = (times: GemmTimes = defaultGemmTimes): CostModel => ({
  name: 'time',
  log: ({ size: { m, n, k, count }, transposeLeft, slices }) => {
    const vectors = Math.ceil(m / times.lanes);
    const gathered = transposeLeft || slices > 0 ? m * k + (slices > 0 ? m * n : 0) : 0;
    return [count * (times.call + vectors * n * (k * times.multiply + times.store) + gathered * times.gather)];
  },
  batch: ({ size: { m, n, k, count } }) => {
    const vectors = Math.ceil(count / times.lanes);
    return [times.call + vectors * m * n * (k * times.multiply + times.store)];
  },
  copy: (elements) => [elements * times.gather],
  compare: (a, b) => a[0] - b[0],
});
