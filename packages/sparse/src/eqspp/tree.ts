import type { BooleanTensor } from './boolean-tensor.js';

/** How the factors of a product are multiplied: binary, with what may be non-zero of each part. */
export type ContractionTree =
  | { readonly kind: 'factor'; readonly factor: number; readonly indices: string; readonly pattern: BooleanTensor }
  | {
      readonly kind: 'product';
      readonly left: ContractionTree;
      readonly right: ContractionTree;
      /** Summed over all indices of its sides that are missing here. */
      readonly indices: string;
      readonly pattern: BooleanTensor;
    };
