/** Start included, stop not. */
export type Interval = readonly [start: number, stop: number];

/** Entry (i₁, …, i_d) of the box lies at Σ (i_k − start_k)·stride_k; outside the box all is zero (§4.4.1). */
export interface DenseLayout {
  readonly kind: 'dense';
  /** One interval a dimension; that of the first may reach beyond the shape where it is aligned. */
  readonly box: readonly Interval[];
  /** In elements, the first dimension fastest. */
  readonly strides: readonly number[];
  /** Elements in all. */
  readonly size: number;
  /** If the first interval was widened: its end before that. What lies beyond is padding, whose value does not matter. */
  readonly end?: number;
}

/** A matrix by columns (§4.4.2): column j has rows[columnStart[j] … columnStart[j + 1] − 1], in the order of their storage. */
export interface CscLayout {
  readonly kind: 'csc';
  readonly shape: readonly [rows: number, columns: number];
  readonly columnStart: Int32Array;
  readonly rows: Int32Array;
  readonly size: number;
}

/** Only the entries of a pattern, in column-major order: sparse storage of any order, beyond the paper (§4.4.3). */
export interface CompressedLayout {
  readonly kind: 'compressed';
  readonly shape: readonly number[];
  /** For each entry, column-major, where it lies, or −1. */
  readonly position: Int32Array;
  readonly size: number;
}

/** How a tensor lies in memory. */
export type Layout = DenseLayout | CscLayout | CompressedLayout;
