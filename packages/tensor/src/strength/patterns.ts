import {
  type BooleanTensor,
  contractionOrder,
  type ContractionTree,
  equivalentPatterns,
  type IndexedPattern,
  intersectPatterns,
  projectPattern,
  unitePatterns,
} from '@filigree/sparse';
import type { Node } from '../notation/node.js';

/**
 * Narrows every pattern of an expression to what may be non-zero and is needed (§4.2): up from the tensors what a part may
 * hold, down from the top what the rest lets through. Products by Prop. 1, sums by union.
 *
 * @param wanted which entries of the value are needed, over the node's indices; absent: all
 */
export const propagatePatterns = <N extends Node>(node: N, wanted?: BooleanTensor): N => {
  const known = new Map<Node, Holding>();
  const held = holding(node, known).pattern;
  return narrow(node, wanted === undefined ? held : intersectPatterns(held, wanted), known) as N;
};

interface Holding {
  readonly pattern: BooleanTensor;
  readonly tree?: ContractionTree;
}

const holding = (node: Node, known: Map<Node, Holding>): Holding => {
  const found = (): Holding => {
    switch (node.kind) {
      case 'leaf':
        return { pattern: node.pattern };
      case 'sum':
        return {
          pattern: node.terms
            .map((t) => arrange(t.node, holding(t.node, known).pattern, node.indices))
            .reduce(unitePatterns, { shape: node.pattern.shape, bits: new Uint8Array(node.pattern.bits.length) }),
        };
      case 'indexsum':
        return { pattern: arrange(node.of, holding(node.of, known).pattern, node.indices) };
      case 'einsum': {
        const { tree } = contractionOrder(factorsOf(node.factors, known), node.indices);
        const pattern = tree.kind === 'factor' ? projectPattern(tree, node.indices) : tree.pattern;
        return { pattern, tree };
      }
      case 'contraction': {
        const { tree } = contractionOrder(factorsOf([node.left, node.right], known), node.indices);
        return { pattern: tree.pattern, tree };
      }
    }
  };
  const result = found();
  known.set(node, result);
  return result;
};

const factorsOf = (nodes: readonly Node[], known: Map<Node, Holding>): readonly IndexedPattern[] =>
  nodes.map((f) => ({ indices: f.indices, pattern: holding(f, known).pattern }));

/** The node with a pattern that lies within what it holds. */
const narrow = (node: Node, pattern: BooleanTensor, known: ReadonlyMap<Node, Holding>): Node => {
  const factors = (nodes: readonly Node[]): readonly Node[] => {
    const held = nodes.map((f) => ({ indices: f.indices, pattern: known.get(f)!.pattern }));
    const found = equivalentPatterns(held, { indices: node.indices, pattern }, known.get(node)!.tree);
    return nodes.map((f, n) => narrow(f, found.factors[n], known));
  };
  switch (node.kind) {
    case 'leaf':
      return { ...node, pattern };
    case 'sum':
      return {
        ...node,
        pattern,
        terms: node.terms.map(({ by, node: term }) => {
          const here = arrange(node, pattern, term.indices);
          return { by, node: narrow(term, intersectPatterns(known.get(term)!.pattern, here), known) };
        }),
      };
    case 'indexsum': {
      const held = [{ indices: node.of.indices, pattern: known.get(node.of)!.pattern }];
      return {
        ...node,
        pattern,
        of: narrow(node.of, equivalentPatterns(held, { indices: node.indices, pattern }).factors[0], known),
      };
    }
    case 'einsum':
      return { ...node, pattern, factors: factors(node.factors) };
    case 'contraction': {
      const [left, right] = factors([node.left, node.right]);
      return { ...node, pattern, left, right };
    }
  }
};

const arrange = (from: { readonly indices: string }, pattern: BooleanTensor, indices: string): BooleanTensor =>
  projectPattern({ indices: from.indices, pattern }, indices);
