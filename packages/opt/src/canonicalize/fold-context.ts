import type { Attrs, Buffers, Op, Scalar, Type, Value } from '@filigree/ir';
import type { Facts } from '../support/facts.js';

/** What a folding rule may see and do at the place of the op that it looks at. */
export interface FoldContext {
  readonly facts: Facts;
  readonly buffers: Buffers;
  /** Floats may be treated as real numbers. */
  readonly fastMath: boolean;
  /** The scalar that a value always is here, or all its lanes. */
  readonly constantOf: (v: Value) => Scalar | undefined;
  /** The op that gives the value, as it is now; nothing for a region parameter. */
  readonly defOf: (v: Value) => Op | undefined;
  /** A constant, or a vector with this constant in every lane. */
  readonly constant: (value: Scalar, type: Type) => Value;
  /** The result of a new one-result op here, itself folded. */
  readonly build: (name: string, operands: readonly Value[], type: Type, attrs?: Attrs) => Value;
}

/** A rule for ops with one result and no regions: the value that replaces the result, or nothing. */
export type Fold = (op: Op, context: FoldContext) => Value | undefined;
