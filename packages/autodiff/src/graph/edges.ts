import type { Sym } from '@filigree/ir';
import { type Graph, type ScalarAlgebra } from '@filigree/ir';
import { Guarded, NONE } from './guarded.js';

/**
 * Second derivatives as weighted edges between nodes, one for each pair. An edge hangs on the later of its nodes: nodes are removed from the last to the first,
 * so it is found when the first of the two goes.
 */
export class Edges {
  private readonly head: Int32Array;
  private readonly index = new Map<number, number>();
  private readonly next: number[] = [];
  private readonly to: number[] = [];
  readonly weights: Guarded;

  constructor(
    graph: Graph,
    s: ScalarAlgebra<Sym>,
    private readonly nodes: number,
  ) {
    this.head = new Int32Array(nodes).fill(NONE);
    this.weights = new Guarded(graph, s, 64);
  }

  add(a: number, b: number, weight: number, condition: number): void {
    const high = Math.max(a, b);
    const low = Math.min(a, b);
    const key = high * this.nodes + low;
    let edge = this.index.get(key);
    if (edge === undefined) {
      edge = this.to.length;
      this.index.set(key, edge);
      this.to.push(low);
      this.next.push(this.head[high]);
      this.head[high] = edge;
    }
    this.weights.add(edge, weight, condition);
  }

  /** Calls `visit` with every edge that hangs on this node: its other end and its number in `weights`. */
  forEach(node: number, visit: (other: number, edge: number) => void): void {
    for (let edge = this.head[node]; edge >= 0; edge = this.next[edge]) visit(this.to[edge], edge);
  }
}
