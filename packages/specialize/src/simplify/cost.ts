import { referenceCounts, type Graph } from '@filigree/ir';
import { ADD, COST, NEG } from '../decompose/codes.js';

/**
 * What evaluating `roots` costs when every shared expression is evaluated once: the sum of operation costs over distinct
 * nodes (§4.1.4). A sign that a sum takes as a subtraction costs nothing.
 */
export const dagCost = (graph: Graph, roots: readonly number[]): number => {
  const { op, left, right } = graph;
  const references = referenceCounts(graph, roots);
  const absorbed = new Uint32Array(graph.length);
  let cost = 0;
  for (let id = 0; id < graph.length; id++) {
    if (references[id] === 0) continue;
    if (op[id] === ADD) {
      if (op[right[id]] === NEG) absorbed[right[id]]++;
      else if (op[left[id]] === NEG) absorbed[left[id]]++;
    }
    if (op[id] !== NEG) cost += COST[op[id]];
  }
  for (let id = 0; id < graph.length; id++) if (op[id] === NEG && references[id] > absorbed[id]) cost += COST[NEG];
  return cost;
};
