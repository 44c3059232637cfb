import type { Graph } from '@filigree/ir';
import type { Cut } from './candidates.js';
import { ARITY, VARIABLE } from './codes.js';

/** A reusable depth-first walk of one stored expression down to the stored expressions and variables it reads. */
export interface UnitWalk {
  /**
   * Collects what `root` reads, each once: stored nodes and variables, in `reads[0..n)`; returns n. Constants are not
   * reads. Stops with −1 when there are more than `limit`.
   */
  readonly collect: (root: number, limit: number) => number;
  readonly reads: Int32Array;
}

/**
 * `kind[id]` ≠ 0 marks stored nodes, where the walk stops. A node that is referred to once is met once: only others are
 * remembered, which spares the walk most of its memory traffic.
 */
export const unitWalk = (
  graph: Graph,
  { kind, references }: Pick<Cut, 'kind' | 'references'>,
  capacity: number,
): UnitWalk => {
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
      if (id !== root && kind[id] !== 0) {
        if (n >= limit) return -1;
        reads[n++] = id;
        continue;
      }
      const arity = ARITY[op[id]];
      if (arity === 0) {
        if (op[id] !== VARIABLE) continue;
        if (n >= limit) return -1;
        reads[n++] = id;
        continue;
      }
      if (top + 2 > stack.length) {
        const wider = new Int32Array(2 * stack.length);
        wider.set(stack);
        stack = wider;
      }
      if (arity === 2) {
        const b = right[id];
        if (references[b] === 1) stack[top++] = b;
        else if (seen[b] !== epoch) {
          seen[b] = epoch;
          stack[top++] = b;
        }
      }
      const a = left[id];
      if (references[a] === 1) stack[top++] = a;
      else if (seen[a] !== epoch) {
        seen[a] = epoch;
        stack[top++] = a;
      }
    }
    return n;
  };
  return { collect, reads };
};
