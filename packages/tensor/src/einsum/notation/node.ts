import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { Coefficient, TensorDecl } from './expression.js';

/**
 * Right-hand sides between the notation and the action list. Every node knows its free indices, and which of its
 * entries may be non-zero and are needed. Stages narrow these patterns and turn each `einsum` into binary contractions.
 */
export type Node = LeafNode | SumNode | EinsumNode | ContractionNode | IndexSumNode;

interface NodeBase {
  /** Free indices; their order says how the pattern is stored, and nothing about memory. */
  readonly indices: string;
  readonly pattern: BooleanTensor;
}

/** A tensor, or one that planning has computed of known values. */
export interface LeafNode extends NodeBase {
  readonly kind: 'leaf';
  readonly tensor: TensorDecl;
  /** If it is a diagonal of the tensor: the index of each of the tensor's dimensions, some more than once. */
  readonly along?: string;
  /** If planning computed it: of what. The order of its indices is then free unless its declaration has a layout. */
  readonly folded?: Folded;
}

/** What a tensor was computed from when the plan was made. */
export interface Folded {
  /** As the notation has it. */
  readonly formula: string;
  /** The tensors of known values in it, each with what of it is needed. */
  readonly of: readonly { readonly name: string; readonly indices: string; readonly pattern: BooleanTensor }[];
}

/** A sum of nodes over the same indices, each with its coefficient. */
export interface SumNode extends NodeBase {
  readonly kind: 'sum';
  readonly terms: readonly { readonly by: Coefficient; readonly node: Node }[];
}

/** A product of many, summed over all indices of its factors that are not free. */
export interface EinsumNode extends NodeBase {
  readonly kind: 'einsum';
  readonly factors: readonly Node[];
}

/** A product of two, summed over `summed` (none: an element-wise or outer product). */
export interface ContractionNode extends NodeBase {
  readonly kind: 'contraction';
  readonly left: Node;
  readonly right: Node;
  readonly summed: string;
}

/** A sum over the indices of `of` that are missing here. */
export interface IndexSumNode extends NodeBase {
  readonly kind: 'indexsum';
  readonly of: Node;
}

/** One assignment; `root` holds the target's old value where it is added to. */
export interface Statement {
  readonly target: { readonly tensor: TensorDecl; readonly indices: string };
  readonly root: SumNode;
}
