import {
  contractionOrder,
  type ContractionTree,
  countNonzeros,
  countProduct,
  projectPattern,
} from '@filigree/sparse/eqspp';
import type { Node } from '../notation/node.js';

/**
 * Every product as a tree of products of two with the fewest operations on the patterns (§4.3), but for outer products that
 * save little; each intermediate result
 * with what of it may be non-zero and is needed. Patterns must have been propagated.
 */
export const reduceStrength = <N extends Node>(node: N): N => reduce(node) as N;

/** An order with outer products must save a quarter: it makes more and smaller products of matrices. */
export const OUTER_SHARE = 0.75;

/** The fewest additions and multiplications on the non-zeros of an expression (§4.3). */
export const countOperations = (node: Node): number => {
  switch (node.kind) {
    case 'leaf':
      return 0;
    case 'sum': {
      let operations = 0;
      let held: Uint8Array | undefined;
      for (const { by, node: term } of node.terms) {
        const { bits } = projectPattern(term, node.indices);
        const scales = by.scalars.length + (Math.abs(by.factor) === 1 ? 0 : 1);
        for (let e = 0; e < bits.length; e++) operations += bits[e] * (scales + (held?.[e] ?? 0));
        held = held === undefined ? bits : held.map((b, e) => b | bits[e]);
        operations += countOperations(term);
      }
      return operations;
    }
    case 'indexsum':
      return countNonzeros(node.of.pattern) - countNonzeros(node.pattern) + countOperations(node.of);
    case 'einsum':
      return contractionOrder(node.factors, node).operations + node.factors.reduce((n, f) => n + countOperations(f), 0);
    case 'contraction':
      return (
        2 * countProduct(node.left, node.right) -
        countNonzeros(node.pattern) +
        countOperations(node.left) +
        countOperations(node.right)
      );
  }
};

const reduce = (node: Node): Node => {
  switch (node.kind) {
    case 'leaf':
      return node;
    case 'sum':
      return { ...node, terms: node.terms.map(({ by, node: term }) => ({ by, node: reduce(term) })) };
    case 'indexsum':
      return { ...node, of: reduce(node.of) };
    case 'contraction':
      return { ...node, left: reduce(node.left), right: reduce(node.right) };
    case 'einsum': {
      const factors = node.factors.map(reduce);
      return build(contractionOrder(factors, node, OUTER_SHARE).tree, node.indices, factors);
    }
  }
};

/** The nodes of a tree of contractions; `kept`: the indices that the parent wants of this part. */
const build = (tree: ContractionTree, kept: string, factors: readonly Node[]): Node => {
  if (tree.kind === 'factor') {
    const node = factors[tree.factor];
    const indices = [...node.indices].filter((i) => kept.includes(i)).join('');
    if (indices.length === node.indices.length) return node;
    return { kind: 'indexsum', of: node, indices, pattern: projectPattern(tree, indices) };
  }
  const { left, right, indices, pattern } = tree;
  const l = build(left, indices + right.indices, factors);
  const r = build(right, indices + left.indices, factors);
  const summed = [...l.indices].filter((i) => !indices.includes(i)).join('');
  return { kind: 'contraction', left: l, right: r, indices, pattern, summed };
};
