import type { IndexedPattern } from './boolean-tensor.js';
import { narrowTree, type ProductTarget } from './equivalent-patterns.js';
import { type KnownFactors, OrderSearch } from './search.js';
import { shrinkFactors, type Shrunk } from './shrink.js';
import type { ContractionTree } from './tree.js';

/** The order in which the factors of a product are best multiplied. */
export interface ContractionOrder {
  /** The order as a tree, with the equivalent pattern of every part. */
  readonly tree: ContractionTree;
  /** Multiplications and additions on non-zeros (§4.3). */
  readonly operations: number;
}

/**
 * The order of least operations (§4.3): for V = X·Y the non-zeros of V, for W = Σ Z those of Z less those of W, all
 * counted exactly on the patterns given, which should be equivalent ones. Exhaustive for up to 10 factors: dynamic
 * programming over their subsets, without those that alone cost more than a greedy order of all; longer products keep the
 * greedy order. An index is summed as soon as neither another factor nor the result has it.
 *
 * Throws `DiagnosticError`: `eqspp/factors` for no factor or more than 30, `eqspp/too-large`.
 *
 * @param outerShare an order with outer products is taken if it needs less than this share of the operations of the best
 *   one without; such orders make more and smaller products of matrices
 * @param known factors whose values are known beforehand: products of these alone cost nothing
 */
export const contractionOrder = (
  factors: readonly IndexedPattern[],
  target: ProductTarget,
  outerShare = 1,
  known?: KnownFactors,
): ContractionOrder => {
  const wanted = target.pattern === undefined ? [] : [{ indices: target.indices, pattern: target.pattern }];
  const shrunk = shrinkFactors(factors, wanted);
  const found = new OrderSearch(shrunk, target.indices, known).greedy().exhaustive(outerShare);
  const tree = narrowTree(found.tree, wanted.map(shrunk.shrink)[0]);
  return { tree: expand(tree, shrunk), operations: found.operations };
};

const expand = (node: ContractionTree, shrunk: Shrunk): ContractionTree =>
  node.kind === 'factor'
    ? { ...node, pattern: shrunk.expand(node) }
    : { ...node, pattern: shrunk.expand(node), left: expand(node.left, shrunk), right: expand(node.right, shrunk) };
