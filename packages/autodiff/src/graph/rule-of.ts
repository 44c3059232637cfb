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

/**
 * Whether a node has a derivative by an operand that is marked, as the table has it: by none of a step, not by the condition of a selection. Looked up once an op,
 * since this is asked of every node of a program.
 */
export const throughMarked = (graph: Graph, marked: Uint8Array, table: DerivativeTable): ((id: number) => boolean) => {
  const { op, left, right } = graph;
  const known: (Places | undefined)[] = [];
  return (id) => {
    const code = op[id];
    const { first, second, third } = (known[code] ??= placesOf(code, table));
    if (first && marked[left[id]] !== 0) return true;
    if (code === SELECT) return (second && marked[left[right[id]]] !== 0) || (third && marked[right[right[id]]] !== 0);
    return second && marked[right[id]] !== 0;
  };
};

/** By which of its operands an op has a derivative. */
interface Places {
  readonly first: boolean;
  readonly second: boolean;
  readonly third: boolean;
}

const placesOf = (code: number, table: DerivativeTable): Places => {
  const rule = ruleOf(code, table);
  const is = (k: number): boolean =>
    rule.is === 'rule' && rule.choice
      ? rule.choice.arms.includes(k)
      : rule.is !== 'zero' && k < (code === SELECT ? 3 : ARITY[code]);
  return { first: is(0), second: is(1), third: is(2) };
};
