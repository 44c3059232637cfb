import type { CsrPattern } from '@filigree/sparse/formats';
import type { SumOfProducts } from './products/sum-of-products.js';

/** A named array of nodes to compute, flattened; a sparse result keeps its pattern. */
export interface OutputSlot {
  readonly name: string;
  /** How many values it has. */
  readonly length: number;
  /** The node of each; none where it is a sum of products that needs none. */
  readonly nodes: Int32Array;
  readonly pattern?: CsrPattern;
  readonly product?: SumOfProducts;
}
