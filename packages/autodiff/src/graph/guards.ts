import { Sym, algebraOfGraph, graphCodes, type Graph } from '@filigree/ir';
import { NONE } from './guarded.js';
import { isZero } from './terms.js';

const { ADD, SELECT } = graphCodes;

/** A node as a value and the condition under which it is that, and else 0; `NONE` where it has none. */
export interface Guard {
  readonly value: number;
  readonly condition: number;
}

/** Under which conditions nodes are not 0, as those of derivatives that came through arms: such a node, or a sum of such. */
export class Guards {
  private readonly known = new Map<number, Guard>();

  constructor(private readonly graph: Graph) {}

  of(id: number): Guard {
    const known = this.known.get(id);
    if (known) return known;
    const { value, condition } = this.arm(id);
    const found = { value, condition: this.both(condition, this.ofSum(value)) };
    this.known.set(id, found);
    return found;
  }

  /** Both conditions. */
  both(a: number, b: number): number {
    const { graph } = this;
    return a < 0 ? b : b < 0 || a === b ? a : algebraOfGraph(graph).and(new Sym(graph, a), new Sym(graph, b)).id;
  }

  /** One in another, all of their conditions hold. */
  private arm(id: number): Guard {
    const { op, left, right } = this.graph;
    let [value, condition] = [id, NONE];
    while (op[value] === SELECT && isZero(this.graph, right[right[value]])) {
      condition = this.both(condition, left[value]);
      value = left[right[value]];
    }
    return { value, condition };
  }

  /** Of a sum that some of its conditions hold, where all terms have one. */
  private ofSum(id: number): number {
    const { graph } = this;
    const { op, left, right } = graph;
    if (op[id] !== ADD) return NONE;
    const conditions = new Set<number>();
    const seen = new Set<number>();
    const waiting = [id];
    while (waiting.length > 0) {
      const term = waiting.pop()!;
      if (seen.has(term) || isZero(graph, term)) continue;
      seen.add(term);
      if (op[term] === ADD) waiting.push(left[term], right[term]);
      else {
        const { condition } = this.arm(term);
        if (condition < 0) return NONE;
        conditions.add(condition);
      }
    }
    const s = algebraOfGraph(graph);
    return [...conditions].reduce((a, b) => s.or(new Sym(graph, a), new Sym(graph, b)).id);
  }
}
