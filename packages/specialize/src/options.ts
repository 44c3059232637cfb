/**
 * Every stage of specialisation can be switched off or tuned; the defaults are what `specialize` uses. The switches
 * are the columns of the ablation table (EX12, paper §5.9).
 */
export interface SpecializeOptions {
  /** Scalar type of inputs, outputs and arithmetic. */
  readonly dtype: 'f32' | 'f64';
  readonly decompose: DecomposeOptions;
  readonly group: GroupOptions;
  readonly simplify: SimplifyOptions | false;
  readonly order: OrderOptions;
  readonly place: PlaceOptions;
  readonly emit: EmitOptions;
}

export interface DecomposeOptions {
  /** Store expressions shared by several outputs (§4.2.1). */
  readonly global: boolean;
  /** t_ref: references from which an expression may be stored. */
  readonly minReferences: number;
  /** t_compl: cost that storing must save, in units of one load or one addition. */
  readonly minComplexity: number;
  /** Sums with more terms are computed by kernels of their own, which can be rolled into a loop over terms. */
  readonly maxSumTerms: number;
  /** Honour blocks tagged in the traced program (§4.2.4). */
  readonly tags: boolean;
  /** Find dense blocks without tags (EX4). */
  readonly detectBlocks: boolean;
  /** Evaluate expressions that repeat within a kernel once (§4.2.2). */
  readonly local: boolean;
}

export interface GroupOptions {
  /** Sums with more terms than this are rolled into a loop over terms. */
  readonly maxUnrolledTerms: number;
  /** Sums of fewer instances than this share a rolled kernel with others of their kind. */
  readonly minUnrolledInstances: number;
}

export interface SimplifyOptions {
  readonly factor: boolean;
  readonly fractions: boolean;
  readonly summands: boolean;
  readonly roots: boolean;
  readonly constants: boolean;
  /** Leaves sums as they were written, so that no cancellation is introduced (§4.5). */
  readonly keepSums: boolean;
}

export interface OrderOptions {
  /** Run instances in an order that uses cache lines while they are there, where the program's own does not (EX8). */
  readonly reorder: boolean;
}

export interface PlaceOptions {
  /** Replace index columns by affine forms and offsets from other columns where they hold (§4.8, EX8). */
  readonly coherence: boolean;
  /** Replace index columns that are affine piece by piece by one origin a piece, where that saves bytes (EX8). */
  readonly pieces: boolean;
  /** Store index columns as 8- or 16-bit differences where they fit. */
  readonly narrow: boolean;
  /**
   * Bytes that one tile of a launch may touch; 0 for no tiling. A tile runs its share of every kernel of the launch
   * before the next begins, so that what they share stays in the cache.
   */
  readonly tileBytes: number;
}

export interface EmitOptions {
  readonly simd: boolean;
  readonly parallel: boolean;
}

export const defaultOptions: SpecializeOptions = {
  dtype: 'f64',
  decompose: {
    global: true,
    minReferences: 2,
    minComplexity: 8,
    maxSumTerms: 16,
    tags: true,
    detectBlocks: true,
    local: true,
  },
  group: { maxUnrolledTerms: 16, minUnrolledInstances: 64 },
  simplify: { factor: true, fractions: true, summands: true, roots: true, constants: true, keepSums: false },
  order: { reorder: true },
  place: { coherence: true, pieces: true, narrow: true, tileBytes: 1 << 18 },
  emit: { simd: true, parallel: true },
};
