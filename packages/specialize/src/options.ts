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

/** What is stored, and which stored expressions are joined into blocks. */
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

/** When sums are rolled into loops. */
export interface GroupOptions {
  /** Sums with more terms than this are rolled into a loop over terms. */
  readonly maxUnrolledTerms: number;
  /** Sums of fewer instances than this share a rolled kernel with others of their kind. */
  readonly minUnrolledInstances: number;
}

/** Which rewrite rules run on templates. */
export interface SimplifyOptions {
  /** Collects and factors sums of products. */
  readonly factor: boolean;
  /** Brings quotients to one division and reduces fractions. */
  readonly fractions: boolean;
  /** Removes summands that cancel. */
  readonly summands: boolean;
  /** Combines roots and their inverses. */
  readonly roots: boolean;
  /** Replaces expressions that are small fractions by constants. */
  readonly constants: boolean;
  /** Leaves sums as they were written, so that no cancellation is introduced (§4.5). */
  readonly keepSums: boolean;
}

/** In which order instances run. */
export interface OrderOptions {
  /**
   * Runs instances in an order that uses cache lines while they are in the cache, if the program's own does not (EX8).
   */
  readonly reorder: boolean;
}

/** How index tables are encoded, and how large tiles are. */
export interface PlaceOptions {
  /** Replaces index columns by affine forms, or by offsets from other columns, where these hold (§4.8, EX8). */
  readonly coherence: boolean;
  /** Replaces index columns that are piecewise affine by one origin per piece, if that saves bytes (EX8). */
  readonly pieces: boolean;
  /** Stores index columns as 8- or 16-bit differences where they fit. */
  readonly narrow: boolean;
  /**
   * Bytes that one tile of a launch may touch; 0 for no tiling. A tile runs its share of every kernel of the launch
   * before the next begins, so that what they share stays in the cache.
   */
  readonly tileBytes: number;
}

/** What loops ask of the target. */
export interface EmitOptions {
  /** Asks for vector lanes where an instance computes more than it loads. */
  readonly simd: boolean;
  /** Lets tiles of a launch run in parallel. */
  readonly parallel: boolean;
}

/** What `specialize` uses unless told otherwise. */
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
