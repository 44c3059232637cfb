import { boundingBox, countNonzeros } from '@filigree/sparse/eqspp';
import type { Node } from '../notation/node.js';

/**
 * The multiplications and additions that code for an expression will do, about: products of boxes, since what is stored
 * densely is multiplied with its zeros, but for tensors that are at most half full, which are multiplied by their entries.
 */
export const executedOperations = (node: Node): number => {
  switch (node.kind) {
    case 'leaf':
      return 0;
    case 'sum':
      return node.terms.reduce((n, { node: term }) => n + extentOf(term) + executedOperations(term), 0);
    case 'einsum':
      return Infinity;
    case 'indexsum':
      return extentOf(node.of) + executedOperations(node.of);
    case 'contraction': {
      const { left, right } = node;
      const ranges = new Map([left, right, node].flatMap((n) => [...rangesOf(n)]));
      const over = (indices: Iterable<string>): number => [...indices].reduce((v, i) => v * ranges.get(i)!, 1);
      const all = new Set(left.indices + right.indices);
      const sparse = [left, right].flatMap((side) => {
        const entries = countNonzeros(side.pattern);
        const others = [...all].filter((i) => !side.indices.includes(i));
        return side.kind === 'leaf' && 2 * entries <= extentOf(side) ? [entries * over(others)] : [];
      });
      return 2 * Math.min(over(all), ...sparse) + executedOperations(left) + executedOperations(right);
    }
  }
};

const rangesOf = (node: Node): ReadonlyMap<string, number> => {
  const box = boundingBox(node.pattern);
  return new Map([...node.indices].map((i, d) => [i, box[d][1] - box[d][0]]));
};

const extentOf = (node: Node): number => [...rangesOf(node).values()].reduce((v, n) => v * n, 1);
