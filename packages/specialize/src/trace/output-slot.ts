import type { CsrPattern } from '@filigree/sparse/formats';
import type { ProductOfStored } from './products/product-of-stored.js';

/** A named array of nodes to compute, flattened; a sparse result keeps its pattern. */
export interface OutputSlot {
  readonly name: string;
  /** How many values it has. */
  readonly length: number;
  /** The node of each; none where it is a product that needs none. */
  readonly nodes: Int32Array;
  readonly pattern?: CsrPattern;
  readonly product?: ProductOfStored;
}
