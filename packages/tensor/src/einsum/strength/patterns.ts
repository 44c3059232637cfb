import {
  type BooleanTensor,
  contractedPattern,
  equivalentPatterns,
  intersectPatterns,
  projectPattern,
  unitePatterns,
} from '@filigree/sparse/eqspp';
import type { Node } from '../notation/node.js';

/**
 * Narrows every pattern of an expression to what may be non-zero and is needed (§4.2): up from the tensors what a part may
 * hold, down from the top what the rest lets through. Products by Prop. 1, sums by union.
 *
 * @param wanted which entries of the value are needed, over the node's indices; absent: all
 */
export const propagatePatterns = <N extends Node>(node: N, wanted?: BooleanTensor): N => {
  const known: Held = new Map();
  const held = hold(node, known);
  return narrow(node, wanted === undefined ? held : intersectPatterns(held, wanted), known) as N;
};

/** What a node may hold, by its tensors alone. */
type Held = Map<Node, BooleanTensor>;

const hold = (node: Node, known: Held): BooleanTensor => {
  const factors = factorsOf(node).map((f) => ({ indices: f.indices, pattern: hold(f, known) }));
  const found = (): BooleanTensor => {
    if (node.kind === 'leaf') return node.pattern;
    if (node.kind !== 'sum') return contractedPattern(factors, node.indices);
    const nothing = { shape: node.pattern.shape, bits: new Uint8Array(node.pattern.bits.length) };
    return factors.map((f) => projectPattern(f, node.indices)).reduce(unitePatterns, nothing);
  };
  const pattern = found();
  known.set(node, pattern);
  return pattern;
};

/** The node with a pattern that lies within what it holds. */
const narrow = (node: Node, pattern: BooleanTensor, known: Held): Node => {
  if (node.kind === 'leaf') return { ...node, pattern };
  if (node.kind === 'sum') {
    const terms = node.terms.map(({ by, node: term }) => {
      const here = projectPattern({ indices: node.indices, pattern }, term.indices);
      return { by, node: narrow(term, intersectPatterns(known.get(term)!, here), known) };
    });
    return { ...node, pattern, terms };
  }
  const parts = factorsOf(node);
  const held = parts.map((f) => ({ indices: f.indices, pattern: known.get(f)! }));
  const needed = equivalentPatterns(held, { indices: node.indices, pattern }).factors;
  const factors = parts.map((f, n) => narrow(f, needed[n], known));
  if (node.kind === 'einsum') return { ...node, pattern, factors };
  if (node.kind === 'indexsum') return { ...node, pattern, of: factors[0] };
  return { ...node, pattern, left: factors[0], right: factors[1] };
};

const factorsOf = (node: Node): readonly Node[] => {
  switch (node.kind) {
    case 'leaf':
      return [];
    case 'sum':
      return node.terms.map((t) => t.node);
    case 'indexsum':
      return [node.of];
    case 'einsum':
      return node.factors;
    case 'contraction':
      return [node.left, node.right];
  }
};
