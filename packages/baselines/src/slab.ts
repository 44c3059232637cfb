/** The memory of compiled kernels, as their entry points take it. */
export interface Slab {
  readonly slab: Uint8Array;
  /** Where each buffer begins in it, in bytes. */
  readonly offsets: readonly number[];
}
