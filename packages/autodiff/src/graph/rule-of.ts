import { fail, graphCodes, scalarOps, type Graph } from '@filigree/ir';
import type { Derivative, DerivativeTable } from '../table/derivative.js';

const { ARITY, SELECT } = graphCodes;

/** The derivative of a graph's op by its code. Fails with `derivative/no-rule`, `derivative/refused`. */
export const ruleOf = (code: number, table: DerivativeTable): Exclude<Derivative, { readonly is: 'refused' }> => {
  const { name, kernelOp } = scalarOps[code];
  if (!Object.hasOwn(table, kernelOp))
    return fail('derivative/no-rule', `the operation '${name}' has no derivative`, {
      remedy: `compute by other operations, or give the table of derivatives a rule for '${kernelOp}'`,
    });
  const rule = table[kernelOp];
  if (rule.is === 'refused')
    return fail('derivative/refused', `the operation '${name}' has no derivative: ${rule.why}`, {
      remedy: rule.remedy,
    });
  return rule;
};

/** The operands that a rule speaks of: of a selection the condition and both arms, for which graphs have a node of their own. */
export const operandsOf = ({ op, left, right }: Graph, id: number): readonly number[] =>
  op[id] === SELECT
    ? [left[id], left[right[id]], right[right[id]]]
    : ARITY[op[id]] === 2
      ? [left[id], right[id]]
      : ARITY[op[id]] === 1
        ? [left[id]]
        : [];

/** The operands by which a node has a derivative, as the table has it: none of a step, not the condition of a selection. */
export const differentiable = (graph: Graph, id: number, table: DerivativeTable): readonly number[] => {
  const operands = operandsOf(graph, id);
  if (operands.length === 0) return operands;
  const rule = ruleOf(graph.op[id], table);
  if (rule.is === 'zero') return [];
  return rule.choice ? rule.choice.arms.map((k) => operands[k]) : operands;
};
