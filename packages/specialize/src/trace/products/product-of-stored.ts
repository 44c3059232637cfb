import type { CsrPattern } from '@filigree/sparse/formats';
import type { StoredMatrix } from './stored-matrix.js';

/** A·B: each entry is the sum, in increasing k, of the products of an entry (i, k) of the one and (k, j) of the other. */
export interface ProductOfStored {
  readonly left: StoredMatrix;
  readonly right: StoredMatrix;
  readonly pattern: CsrPattern;
}

/** Both factors of a product, if there is one. */
export const factorsOf = (product: ProductOfStored | undefined): readonly StoredMatrix[] =>
  product === undefined ? [] : [product.left, product.right];
