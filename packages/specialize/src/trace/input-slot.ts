import type { CsrPattern } from '@filigree/sparse/formats';

/**
 * The shape of a named input: a length, a nested shape such as `[n, 3]`, or the pattern of a sparse matrix, whose
 * values (one per entry) are the input.
 */
export type InputShape = number | readonly number[] | CsrPattern;

/** A named range of variables: element `i` of the input is variable `first + i`, node `firstNode + i`. */
export interface InputSlot {
  readonly name: string;
  readonly first: number;
  readonly firstNode: number;
  readonly length: number;
  readonly shape: InputShape;
}
