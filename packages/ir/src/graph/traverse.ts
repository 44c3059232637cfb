import { ARITY } from './codes.js';
import type { Graph } from './graph.js';

/**
 * Marks every node reachable from `roots`: 1 where reachable. `descend(id)` false keeps a node but not what is below
 * it. Operands precede users in the arena, so one descending sweep is a pre-order that sees every user first.
 */
export const reachable = (graph: Graph, roots: ArrayLike<number>, descend?: (id: number) => boolean): Uint8Array => {
  const mark = new Uint8Array(graph.length);
  let last = -1;
  for (let i = 0; i < roots.length; i++) {
    mark[roots[i]] = 1;
    if (roots[i] > last) last = roots[i];
  }
  const { op, left, right } = graph;
  for (let id = last; id >= 0; id--) {
    if (mark[id] === 0) continue;
    const arity = ARITY[op[id]];
    if (arity === 0 || (descend && !descend(id))) continue;
    mark[left[id]] = 1;
    if (arity === 2) mark[right[id]] = 1;
  }
  return mark;
};

/**
 * Number of references to each node from the nodes reachable from `roots`, plus one for each time it is a root
 * (§4.2.1): an expression used twice by one parent counts twice.
 */
export const referenceCounts = (graph: Graph, roots: ArrayLike<number>): Uint32Array => {
  const count = new Uint32Array(graph.length);
  let last = -1;
  for (let i = 0; i < roots.length; i++) {
    count[roots[i]]++;
    if (roots[i] > last) last = roots[i];
  }
  const { op, left, right } = graph;
  for (let id = last; id >= 0; id--) {
    if (count[id] === 0) continue;
    const arity = ARITY[op[id]];
    if (arity > 0) count[left[id]]++;
    if (arity === 2) count[right[id]]++;
  }
  return count;
};

/**
 * A selective post-order walk below one root, operands in stored order, each node once: calls `visit` on every node
 * after its operands; `descend(id)` false makes the node a leaf of the walk. Iterative, so depth is no limit. For whole
 * graphs prefer a sweep over ids.
 */
export const postOrder = (
  graph: Graph,
  root: number,
  visit: (id: number) => void,
  descend: (id: number) => boolean = () => true,
): void => {
  const seen = new Set<number>();
  const stack = [root];
  while (stack.length > 0) {
    const top = stack[stack.length - 1];
    const id = top < 0 ? ~top : top;
    if (top < 0) {
      stack.pop();
      visit(id);
      continue;
    }
    if (seen.has(id)) {
      stack.pop();
      continue;
    }
    seen.add(id);
    stack[stack.length - 1] = ~id;
    const arity = ARITY[graph.op[id]];
    if (arity === 0 || !descend(id)) continue;
    if (arity === 2 && !seen.has(graph.right[id])) stack.push(graph.right[id]);
    if (!seen.has(graph.left[id])) stack.push(graph.left[id]);
  }
};
