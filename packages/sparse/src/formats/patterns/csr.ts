/**
 * The pattern of a sparse matrix in compressed rows: entries of row `i` are `rowPtr[i] .. rowPtr[i+1]`, with strictly
 * increasing columns. Immutable once made; values live apart, one per entry in this order, so that one pattern serves
 * numbers and symbols alike.
 */
export interface CsrPattern {
  readonly rows: number;
  readonly cols: number;
  readonly rowPtr: Int32Array;
  readonly colIdx: Int32Array;
}

/** A sparse matrix over values kept in `V`: `Float64Array` for numbers, node ids for symbols. */
export interface Csr<V> {
  readonly pattern: CsrPattern;
  readonly values: V;
}
