/**
 * A sparsity pattern of any order (§4.2.2): which entries may be non-zero. Entries are in column-major order, the first
 * index fastest, one byte each, 1 where an entry may be non-zero. Never written after it was made.
 */
export interface BooleanTensor {
  readonly shape: readonly number[];
  readonly bits: Uint8Array;
}
