import { graphCodes, type Graph } from '@filigree/ir';

const { ARITY, SELECT } = graphCodes;

/**
 * Walks below nodes, operands first, each node once, down to the variables and to what does not depend on them. Both arms of a selection are its operands.
 * Without recursion, so depth is no limit.
 */
export class Walk {
  private readonly seen: Int32Array;
  private readonly stack: number[] = [];
  private stamp = 0;

  /** @param active as `activity` marks it; nodes made since do not depend on the variables */
  constructor(
    private readonly graph: Graph,
    private readonly active: Uint8Array,
  ) {
    this.seen = new Int32Array(graph.length);
  }

  /** Every node is unseen again. */
  begin(): void {
    this.stamp++;
  }

  /** Visits what is below `root`, with it, and was not seen since `begin`. */
  below(root: number, visit: (id: number) => void): void {
    const { op, left, right } = this.graph;
    const { active, seen, stack, stamp } = this;
    stack.push(root);
    while (stack.length > 0) {
      const id = stack.pop()!;
      if (id < 0) {
        visit(~id);
        continue;
      }
      if (seen[id] === stamp) continue;
      seen[id] = stamp;
      if (active[id] !== 1) {
        visit(id);
        continue;
      }
      stack.push(~id);
      if (op[id] === SELECT) stack.push(right[right[id]], left[right[id]]);
      else if (ARITY[op[id]] === 2) stack.push(right[id]);
      stack.push(left[id]);
    }
  }
}
