import { isTrue, scalarOps } from '../scalar/scalar-op.js';
import { ARMS, CONSTANT, SELECT, VARIABLE } from './codes.js';
import type { Graph } from './graph.js';
import { reachable } from './traverse.js';

/** The meaning of a graph: values of `roots` in f64 for these values of the variables, by one ascending sweep. */
export const evaluateGraph = (graph: Graph, roots: ArrayLike<number>, variables: ArrayLike<number>): Float64Array => {
  const { op, left, right } = graph;
  const needed = reachable(graph, roots);
  const value = new Float64Array(graph.length);
  for (let id = 0; id < graph.length; id++) {
    if (needed[id] === 0 || op[id] === ARMS) continue;
    if (op[id] === VARIABLE) value[id] = variables[left[id]];
    else if (op[id] === CONSTANT) value[id] = graph.constantValue(id);
    else if (op[id] === SELECT) value[id] = value[isTrue(value[left[id]]) ? left[right[id]] : right[right[id]]];
    else value[id] = scalarOps[op[id]].evaluate(value[left[id]], value[right[id]]);
  }
  return Float64Array.from({ length: roots.length }, (_, i) => value[roots[i]]);
};
