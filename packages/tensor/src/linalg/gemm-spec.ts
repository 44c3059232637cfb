/** A matrix within a buffer, in elements from where the caller says it begins. */
export type MatrixView =
  | ({ readonly kind: 'dense' } & Strides)
  /** Known non-zeros, by column and then by row, each with where it lies. */
  | {
      readonly kind: 'sparse';
      readonly rows: Int32Array;
      readonly columns: Int32Array;
      readonly positions: Int32Array;
      /** Where it is stored as a whole, with its zeros, so that it can be taken as dense. */
      readonly stored?: Strides;
    };

export interface Strides {
  readonly rowStride: number;
  readonly columnStride: number;
}

/** C = alpha·A·B + beta·C: everything that is known when code is generated. C is dense. */
export interface GemmSpec {
  readonly type: 'f32' | 'f64';
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** m × k. */
  readonly a: MatrixView;
  /** k × n. */
  readonly b: MatrixView;
  /** m × n. */
  readonly c: Strides;
  /** A number, or a value that the caller gives. */
  readonly alpha: number | 'value';
  readonly beta: 0 | 1;
  /**
   * Up to this row, the rows of C from m on may be overwritten (they are padding) and those of A may be read: whole
   * vectors for tails.
   */
  readonly mPadded?: number;
}

/** What micro-kernels are made for. */
export interface GemmTarget {
  /** Bytes of a vector register: 16 (SSE, NEON, WebAssembly), 32 (AVX2), 64 (AVX-512). */
  readonly vectorBytes: 16 | 32 | 64;
  readonly registers: 16 | 32;
  /** Loads and stores under a mask cost no more than plain ones. */
  readonly masks: boolean;
  /** Bytes of the first-level instruction cache: how far sparse products are unrolled. */
  readonly instructionCache: number;
  /** Most steps over k of dense matrices that a loop may have written out, where what compiles the code does not keep their order. */
  readonly steps?: number;
}
