import { Sym, algebraOfGraph, type Graph } from '@filigree/ir';
import type { DerivativeTable } from '../table/derivative.js';
import { activity } from './active.js';
import { Guarded, NONE } from './guarded.js';
import { operandsOf, ruleOf } from './rule-of.js';

/**
 * The derivative of one node by each of `variables`, by one sweep from the node down (§4.9, App. C): nodes of the same graph, `NONE` where it does not depend
 * on the variable.
 */
export const reverseSweep = (
  graph: Graph,
  root: number,
  variables: ArrayLike<number>,
  table: DerivativeTable,
): Int32Array => {
  const { active } = activity(graph, [root], variables, table);
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  const adjoints = new Guarded(graph, s, root + 1);
  adjoints.add(root, graph.constant(1), NONE);
  for (let id = root; id >= 0; id--) {
    if (active[id] !== 1 || adjoints.valueAt(id) < 0) continue;
    const rule = ruleOf(graph.op[id], table);
    if (rule.is !== 'rule') continue;
    const operands = operandsOf(graph, id);
    const symbols = operands.map(sym);
    const value = adjoints.valueAt(id);
    const condition = adjoints.conditionAt(id);
    if (rule.choice) {
      const { arms, first } = rule.choice;
      const isFirst = first(s, ...symbols);
      arms.forEach((k, arm) => {
        if (active[operands[k]] === 0) return;
        const taken = arm === 0 ? isFirst : s.not(isFirst);
        adjoints.add(operands[k], value, adjoints.both(condition, taken.id));
      });
      continue;
    }
    rule.times(s, sym(value), sym(id), ...symbols).forEach((product, k) => {
      if (product !== undefined && active[operands[k]] !== 0) adjoints.add(operands[k], product.id, condition);
    });
  }
  return Int32Array.from({ length: variables.length }, (_, i) =>
    variables[i] <= root && active[variables[i]] === 2 ? adjoints.total(variables[i]) : NONE,
  );
};
