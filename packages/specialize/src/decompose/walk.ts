import type { Graph } from '@filigree/ir';
import { ARITY } from './codes.js';

/** A reusable depth-first walk of one stored expression down to the stored expressions and variables it reads. */
export interface UnitWalk {
  /**
   * Collects what `root` reads, each once: stored nodes and variables, in `reads[0..n)`; returns n. Constants are not
   * reads. Stops with −1 when there are more than `limit`.
   */
  readonly collect: (root: number, limit: number) => number;
  readonly reads: Int32Array;
}

/** `kind[id]` ≠ 0 marks stored nodes, where the walk stops. */
export const unitWalk = (graph: Graph, kind: Uint8Array, capacity: number): UnitWalk => {
  const seen = new Int32Array(graph.length);
  let epoch = 0;
  let stack = new Int32Array(1024);
  const reads = new Int32Array(capacity + 1);
  const { op, left, right } = graph;
  const collect = (root: number, limit: number): number => {
    epoch++;
    let n = 0;
    let top = 0;
    stack[top++] = root;
    seen[root] = epoch;
    while (top > 0) {
      const id = stack[--top];
      const arity = ARITY[op[id]];
      if (id !== root && kind[id] !== 0) {
        if (n >= limit) return -1;
        reads[n++] = id;
        continue;
      }
      if (arity === 0) {
        if (!graph.isVariable(id)) continue;
        if (n >= limit) return -1;
        reads[n++] = id;
        continue;
      }
      if (top + 2 > stack.length) {
        const wider = new Int32Array(2 * stack.length);
        wider.set(stack);
        stack = wider;
      }
      if (arity === 2 && seen[right[id]] !== epoch) {
        seen[right[id]] = epoch;
        stack[top++] = right[id];
      }
      if (seen[left[id]] !== epoch) {
        seen[left[id]] = epoch;
        stack[top++] = left[id];
      }
    }
    return n;
  };
  return { collect, reads };
};
