import { Sym, algebraOfGraph, graphCodes, type Graph, type ScalarAlgebra } from '@filigree/ir';
import type { Activity } from './active.js';
import { Guarded, NONE } from './guarded.js';
import { operandsOf } from './rule-of.js';

const { ADD, CONSTANT, DIV, MUL, NEG, SELECT } = graphCodes;

/** A term of a sum: `factor` times `node` where `condition` holds, and 0 elsewhere; all are nodes, and `NONE` is no condition. Neither factor nor condition is differentiated. */
export interface Term {
  readonly node: number;
  readonly factor: number;
  readonly condition: number;
}

/** Peels the sum at `root`, as `Peel` does. */
export const termsOf = (graph: Graph, root: number, found: Activity): readonly Term[] =>
  new Peel(graph, found).terms([{ node: root, factor: graph.constant(1), condition: NONE }]);

/**
 * Expressions as terms with factors that do not depend on the variables. What is looked through are sums, signs and such factors only, by one sweep, so a sum that
 * stands in several places is peeled once.
 */
export class Peel {
  private readonly s: ScalarAlgebra<Sym>;
  private readonly factors: Guarded;
  private readonly isSeen: Uint8Array;

  constructor(
    private readonly graph: Graph,
    private readonly found: Activity,
  ) {
    this.s = algebraOfGraph(graph);
    this.factors = new Guarded(graph, this.s, found.active.length);
    this.isSeen = new Uint8Array(found.active.length);
  }

  /** The terms of a sum of `given`, in the order of their nodes. */
  terms(given: readonly Term[]): readonly Term[] {
    const { graph, s, factors, isSeen } = this;
    const { active } = this.found;
    const sym = (id: number): Sym => new Sym(graph, id);
    const nodes: number[] = [];
    const waiting: number[] = [];
    const meet = (id: number): void => {
      if (active[id] === 0 || isSeen[id] === 1) return;
      isSeen[id] = 1;
      nodes.push(id);
      waiting.push(id);
    };
    for (const { node, factor, condition } of given) {
      meet(node);
      if (active[node] !== 0) factors.add(node, factor, condition);
    }
    while (waiting.length > 0) {
      const id = waiting.pop()!;
      if (isLinear(graph, this.found, id)) for (const operand of valueOperands(graph, id)) meet(operand);
    }
    const terms: Term[] = [];
    for (const id of Int32Array.from(nodes).sort().reverse()) {
      const factor = factors.valueAt(id);
      const condition = factors.conditionAt(id);
      factors.clear(id);
      isSeen[id] = 0;
      const [a, b] = [graph.left[id], graph.right[id]];
      const into = (operand: number, by: number): void => {
        if (active[operand] !== 0) factors.add(operand, by, condition);
      };
      if (!isLinear(graph, this.found, id)) terms.push({ node: id, factor, condition });
      else if (graph.op[id] === ADD) {
        into(a, factor);
        into(b, factor);
      } else if (graph.op[id] === NEG) into(a, s.neg(sym(factor)).id);
      else if (graph.op[id] === DIV) into(a, s.div(sym(factor), sym(b)).id);
      else if (active[b] === 0) into(a, s.mul(sym(factor), sym(b)).id);
      else into(b, s.mul(sym(factor), sym(a)).id);
    }
    return terms.reverse();
  }
}

/** Whether a node that depends on the variables is a sum, or something times what does not. */
export const isLinear = ({ op, left, right }: Graph, { active }: Activity, id: number): boolean =>
  active[id] === 1 &&
  (op[id] === ADD ||
    op[id] === NEG ||
    (op[id] === MUL && (active[left[id]] === 0 || active[right[id]] === 0)) ||
    (op[id] === DIV && active[right[id]] === 0));

/** What a node is computed from; of a selection its arms. */
export const valueOperands = (graph: Graph, id: number): readonly number[] =>
  graph.op[id] === SELECT ? operandsOf(graph, id).slice(1) : operandsOf(graph, id);

/** Whether a node is the number 0. */
export const isZero = (graph: Graph, id: number): boolean => graph.op[id] === CONSTANT && graph.constantValue(id) === 0;
