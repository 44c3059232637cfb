import type { Csr, CsrPattern } from '../patterns/csr.js';

/**
 * What sparse algebra needs to know about scalars. Entries are addressed by index into arrays of type `V`, so that the
 * inner loops see typed arrays and no object per scalar: `Float64Array` for numbers, `Int32Array` of node ids for
 * symbolic entries.
 */
export interface Ring<V> {
  /**
   * Where it is given, and gives anything: A·B with the pattern `pattern` as a whole. For rings that need not make its values before somebody reads them;
   * `productValues` makes them.
   */
  readonly product?: (a: Csr<V>, b: Csr<V>, pattern: CsrPattern) => Csr<V> | undefined;
  /** The same of A + B, or A − B; `sumValues` makes its values. */
  readonly combined?: (a: Csr<V>, b: Csr<V>, pattern: CsrPattern, minus: boolean) => Csr<V> | undefined;
  /** The same of s·A for an ordinary number s, −1 for −A; `scaledValues` and `negatedValues` make its values. */
  readonly scaled?: (s: number, a: Csr<V>) => Csr<V> | undefined;
  /** The same of Aᵀ. */
  readonly transposed?: (a: Csr<V>) => Csr<V> | undefined;
  /**
   * Where it is given, and gives anything: how the values of a matrix are made together, of A·B with the pattern `product`, or of an operation entry by
   * entry. For rings that gain by seeing a matrix as a whole.
   */
  readonly together?: (a: Csr<V>, b: Csr<V>, product?: CsrPattern) => Together<V> | undefined;
  /** Fresh storage for `n` entries, all zero. */
  readonly allocate: (n: number) => V;
  /** out[o] = a[i] */
  readonly copy: (out: V, o: number, a: V, i: number) => void;
  /** out[o] = a[i] + b[j] */
  readonly add: (out: V, o: number, a: V, i: number, b: V, j: number) => void;
  /** out[o] = a[i] - b[j] */
  readonly sub: (out: V, o: number, a: V, i: number, b: V, j: number) => void;
  /** out[o] = -a[i] */
  readonly neg: (out: V, o: number, a: V, i: number) => void;
  /** out[o] = s * a[i], s an ordinary number */
  readonly scale: (out: V, o: number, s: number, a: V, i: number) => void;
  /** out[o] = sum over t in [0, n) of a[ai[t]] * b[bi[t]], in that order */
  readonly dot: (out: V, o: number, a: V, ai: Int32Array, b: V, bi: Int32Array, n: number) => void;
  /**
   * Where it is given, `count` such sums at once: out[o + e] is that over t in [ptr[e], ptr[e + 1]). For rings that gain by
   * seeing several.
   */
  readonly dots?: (
    out: V,
    o: number,
    a: V,
    ai: Int32Array,
    b: V,
    bi: Int32Array,
    ptr: Int32Array,
    count: number,
  ) => void;
  /** out[o] = sum over t in [0, n) of a[ai[t]], in that order; for assembly from triplets */
  readonly sum: (out: V, o: number, a: V, ai: Int32Array, n: number) => void;
}

/** Operations of a ring for the values of one matrix. They are there once all have been asked for and `finish` was called. */
export interface Together<V> extends Pick<Ring<V>, 'copy' | 'add' | 'sub' | 'neg'> {
  readonly dots: NonNullable<Ring<V>['dots']>;
  readonly finish: (out: V) => void;
}
