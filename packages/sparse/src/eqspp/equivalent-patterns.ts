import { type BooleanTensor, type IndexedPattern, intersectPatterns } from './boolean-tensor.js';
import { contractPatterns } from './contract.js';
import { pick, positionsOf, projectPattern, stridesIn } from './rearrange.js';
import { OrderSearch } from './search.js';
import { shrinkFactors } from './shrink.js';
import type { ContractionTree } from './tree.js';

/** The indices of a result, and which of its entries are wanted (absent: all). */
export interface ProductTarget {
  readonly indices: string;
  readonly pattern?: BooleanTensor;
}

/** What of the factors and the result of a product may be non-zero and is wanted. */
export interface EquivalentPatterns {
  /** The equivalent sparsity pattern of each factor (Def. 4.1), over its own indices. */
  readonly factors: readonly BooleanTensor[];
  /** The pattern of the product over the target's indices, within what is wanted of it. */
  readonly result: BooleanTensor;
}

/**
 * Equivalent sparsity patterns of a product (Prop. 1): the fewest entries of each factor that leave the result unchanged.
 * The Boolean contractions (6) of all factors are done at once on one tree of products of two: a sweep up finds what each
 * part may hold, a sweep down what the rest lets through, which by the distributive law is the same.
 *
 * Throws `DiagnosticError` `eqspp/factors` for no factor or more than 30.
 */
export const equivalentPatterns = (factors: readonly IndexedPattern[], target: ProductTarget): EquivalentPatterns => {
  const wanted = target.pattern === undefined ? [] : [{ indices: target.indices, pattern: target.pattern }];
  const shrunk = shrinkFactors(factors, wanted);
  const found: BooleanTensor[] = [];
  const keep = (node: ContractionTree): void => {
    if (node.kind === 'factor') found[node.factor] = shrunk.expand(node);
    else [node.left, node.right].forEach(keep);
  };
  const tree = new OrderSearch(shrunk, target.indices).greedy().tree();
  const root = narrowTree(tree, wanted.map(shrunk.shrink)[0]);
  keep(root);
  const pattern = projectPattern(root, target.indices);
  return { factors: found, result: shrunk.expand({ indices: target.indices, pattern }) };
};

/** What a product may contain, over the indices of the target. */
export const contractedPattern = (factors: readonly IndexedPattern[], indices: string): BooleanTensor => {
  const shrunk = shrinkFactors(factors);
  const root = new OrderSearch(shrunk, indices).greedy().tree();
  return shrunk.expand({ indices, pattern: projectPattern(root, indices) });
};

/** Every pattern of a tree cut down to what is wanted of the root. */
export const narrowTree = (node: ContractionTree, wanted: IndexedPattern | undefined): ContractionTree => {
  const pattern = wanted === undefined ? node.pattern : intersectPatterns(node.pattern, spread(wanted, node));
  if (node.kind === 'factor') return { ...node, pattern };
  // What lets an entry of one side through: a wanted entry of the product with an entry of the other side.
  const here = { indices: node.indices, pattern };
  const left = narrowTree(node.left, through(here, node.right, node.left));
  const right = narrowTree(node.right, through(here, node.left, node.right));
  return { ...node, pattern, left, right };
};

/** Over those indices of `to` that the product or the other side knows; the rest of its indices are summed at once. */
const through = (product: IndexedPattern, other: IndexedPattern, to: IndexedPattern): IndexedPattern => {
  const indices = [...to.indices].filter((i) => product.indices.includes(i) || other.indices.includes(i)).join('');
  return { indices, pattern: contractPatterns(product, other, indices) };
};

/** A pattern repeated along the indices that it lacks. */
const spread = (from: IndexedPattern, to: IndexedPattern): BooleanTensor => {
  if (from.indices === to.indices) return from.pattern;
  const { shape } = to.pattern;
  const at = positionsOf(to.indices, shape, stridesIn(from.indices, from.pattern.shape));
  return { shape, bits: pick(from.pattern.bits, at) };
};
