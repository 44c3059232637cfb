import type { CsrPattern } from '@filigree/sparse/formats';
import type { StoredMatrix } from './stored-matrix.js';

/** A·B, and inputs that are added to it: each entry is the sum, in increasing k, of the products of an entry (i, k) of the one and (k, j) of the other, and then of what is added. */
export interface ProductOfStored {
  readonly left: StoredMatrix;
  readonly right: StoredMatrix;
  /** Of A·B alone. */
  readonly product: CsrPattern;
  readonly added: readonly Added[];
  /** Of the sum. */
  readonly pattern: CsrPattern;
  /** Of each entry of A·B the first that is the same sum of products; absent where all differ. */
  readonly firstAlike?: Int32Array;
}

/** A matrix that is added, or subtracted. */
export interface Added {
  readonly matrix: StoredMatrix;
  readonly negative: boolean;
}

/** All matrices that a product and what is added to it read, if there is one. */
export const factorsOf = (product: ProductOfStored | undefined): readonly StoredMatrix[] =>
  product === undefined ? [] : [product.left, product.right, ...product.added.map(({ matrix }) => matrix)];
