import { type BooleanTensor, fullPattern, type IndexedPattern, intersectPatterns } from './boolean-tensor.js';
import { contractPatterns } from './contract.js';
import { contractionOrder, type ContractionTree } from './order.js';
import { projectPattern, stridesIn, forEachPosition } from './rearrange.js';

/** What of a product may be non-zero and is wanted. */
export interface EquivalentPatterns {
  /** The equivalent sparsity pattern of each factor (Def. 4.1), over its own indices. */
  readonly factors: readonly BooleanTensor[];
  /** The pattern of the product over the target's indices, within what is wanted of it. */
  readonly result: BooleanTensor;
  /** The same for every intermediate result of the tree that was asked for. */
  readonly tree: ContractionTree;
}

/**
 * Equivalent sparsity patterns of a product (Prop. 1): the fewest entries of each factor that leave the result unchanged.
 * One sweep up a tree of binary contractions finds what each part may hold, one sweep down what the rest lets through:
 * the Boolean contraction (6) for all factors at once, by the distributive law.
 *
 * @param target the indices of the result, and which of its entries are wanted (absent: all)
 * @param tree the order of the contractions (absent: the one of least operations)
 */
export const equivalentPatterns = (
  factors: readonly IndexedPattern[],
  target: { readonly indices: string; readonly pattern?: BooleanTensor },
  tree: ContractionTree = contractionOrder(factors, target.indices).tree,
): EquivalentPatterns => {
  const found: BooleanTensor[] = [];
  const descend = (node: ContractionTree, wanted: IndexedPattern): ContractionTree => {
    const pattern = intersectPatterns(node.pattern, spread(wanted, node));
    if (node.kind === 'factor') {
      found[node.factor] = pattern;
      return { ...node, pattern };
    }
    const here = { indices: node.indices, pattern };
    // What lets an entry of one side through: a wanted entry of the product with an entry of the other side.
    return {
      ...node,
      pattern,
      left: descend(node.left, through(here, node.right, node.left)),
      right: descend(node.right, through(here, node.left, node.right)),
    };
  };
  const wanted = target.pattern ?? fullPattern(tree.pattern.shape);
  const root = descend(tree, { indices: target.indices, pattern: wanted });
  const result = root.kind === 'factor' ? projectPattern(root, target.indices) : root.pattern;
  return { factors: found, result, tree: root };
};

/** Over those indices of `to` that the product or the other side knows; the rest of its indices are summed at once. */
const through = (product: IndexedPattern, other: IndexedPattern, to: IndexedPattern): IndexedPattern => {
  const indices = [...to.indices].filter((i) => product.indices.includes(i) || other.indices.includes(i)).join('');
  return { indices, pattern: contractPatterns(product, other, indices) };
};

/** A pattern repeated along the indices that it lacks. */
const spread = (from: IndexedPattern, to: IndexedPattern): BooleanTensor => {
  if (from.indices === to.indices) return from.pattern;
  const bits = new Uint8Array(to.pattern.bits.length);
  forEachPosition(to.indices, to.pattern.shape, stridesIn(from.indices, from.pattern.shape), (e, at) => {
    bits[e] = from.pattern.bits[at];
  });
  return { shape: to.pattern.shape, bits };
};
