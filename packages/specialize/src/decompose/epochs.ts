import type { Graph } from '@filigree/ir';
import type { NeededElements } from './needs.js';
import { ARITY } from './codes.js';

/**
 * Of each node the last of the elements of whose sums it is made, counted from 1. What elements read may be made of a node of an earlier epoch, but of none of their own or a
 * later one: so nodes of one epoch do not depend on each other through elements. `undefined` where there are none.
 */
export const epochsOf = (graph: Graph, elements: readonly NeededElements[]): Int32Array | undefined => {
  if (elements.length === 0) return undefined;
  const { op, left, right, length } = graph;
  const epoch = new Int32Array(length);
  for (const [k, { sums }] of elements.entries()) epoch.fill(k + 1, sums.first, sums.first + sums.ptr.length - 1);
  for (let id = 0; id < length; id++) {
    const arity = ARITY[op[id]];
    if (arity > 0) epoch[id] = Math.max(epoch[left[id]], arity > 1 ? epoch[right[id]] : 0);
  }
  return epoch;
};
