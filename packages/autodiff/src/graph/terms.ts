import { Sym, algebraOfGraph, graphCodes, type Graph } from '@filigree/ir';
import type { Activity } from './active.js';
import { Guarded, NONE } from './guarded.js';

const { ADD, DIV, MUL, NEG } = graphCodes;

/** A term of a sum: `factor` times `node`, both nodes. */
export interface Term {
  readonly node: number;
  readonly factor: number;
}

/**
 * Peels the sum at `root`: the expression as terms with factors that do not depend on the variables. It looks through sums, signs and such factors only, by one
 * sweep, so a sum that stands in several places is peeled once. Terms are in the order of their nodes.
 */
export const termsOf = (graph: Graph, root: number, { active }: Activity): readonly Term[] => {
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  const factors = new Guarded(graph, s, root + 1);
  const terms: Term[] = [];
  const { op, left, right } = graph;
  factors.add(root, graph.constant(1), NONE);
  for (let id = root; id >= 0; id--) {
    const factor = factors.valueAt(id);
    if (factor < 0 || active[id] === 0) continue;
    const [a, b] = [left[id], right[id]];
    const into = (operand: number, by: number): void => factors.add(operand, by, NONE);
    if (active[id] === 2) terms.push({ node: id, factor });
    else if (op[id] === ADD) {
      into(a, factor);
      into(b, factor);
    } else if (op[id] === NEG) into(a, s.neg(sym(factor)).id);
    else if (op[id] === MUL && active[b] === 0) into(a, s.mul(sym(factor), sym(b)).id);
    else if (op[id] === MUL && active[a] === 0) into(b, s.mul(sym(factor), sym(a)).id);
    else if (op[id] === DIV && active[b] === 0) into(a, s.div(sym(factor), sym(b)).id);
    else terms.push({ node: id, factor });
  }
  return terms.reverse();
};
