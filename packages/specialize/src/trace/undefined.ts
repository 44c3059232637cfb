import type { Graph } from '@filigree/ir';
import { CONSTANT, DIV } from '../decompose/codes.js';

/** Whether a node by itself is not a number: a NaN or, over the reals, a division by what is always zero. */
export const isUndefined = (graph: Graph, id: number): boolean => {
  const code = graph.op[id];
  if (code === CONSTANT) return Number.isNaN(graph.constantValue(id));
  return code === DIV && graph.algebraic && graph.algebraicHash(graph.right[id]).every((h) => h === 0);
};
