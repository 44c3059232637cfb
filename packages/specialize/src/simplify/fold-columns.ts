import { referenceCounts, scalarOps } from '@filigree/ir';
import { ARITY, ARMS, CONSTANT, DIV, SELECT, STORABLE, VARIABLE } from '../decompose/codes.js';
import type { Template } from '../harvest/template.js';
import type { SimplifyOptions } from '../options.js';
import type { Plan } from './ops.js';
import { hasReciprocal } from './reciprocals.js';
import { dropUnusedVariables, rebuild } from './sweep.js';

/** A template whose variables from number `leaves` on are varying constants, a column each. */
export interface WithConstants {
  readonly template: Template;
  readonly leaves: number;
  readonly constants: readonly Float64Array[];
}

/**
 * Evaluates, instance by instance, what depends on varying constants alone, and inverts constants that are divided by,
 * so that a column takes their place. Done only if no more columns are read than before.
 */
export const foldColumns = (body: WithConstants, options: SimplifyOptions): WithConstants => {
  const { template, leaves, constants } = body;
  const { graph, roots } = template;
  if (constants.length === 0 || !options.constants || graph.arithmetic === 'exact') return body;
  const { op, left, right } = graph;
  const references = referenceCounts(graph, roots);
  /* For nodes of varying constants and numbers only: their values. */
  const values: (Float64Array | undefined)[] = [];
  const plans = new Map<number, Plan>();
  const columns = [...constants];
  const column = (v: Float64Array): number => leaves + columns.push(v) - 1;
  const size = constants[0].length;
  for (let id = 0; id < graph.length; id++) {
    if (references[id] === 0) continue;
    const code = op[id];
    const x = values[left[id]];
    const y = values[right[id]];
    if (code === VARIABLE) {
      const k = graph.variableIndex(id);
      if (k >= leaves) values[id] = constants[k - leaves];
    } else if (code === CONSTANT) values[id] = new Float64Array(size).fill(graph.constantValue(id));
    else if (STORABLE[code] === 1 && code !== SELECT && code !== ARMS && x && (ARITY[code] === 1 || y)) {
      const { evaluate } = scalarOps[code];
      const v = Float64Array.from(x, (a, i) => evaluate(a, y ? y[i] : 0));
      const k = column(v);
      values[id] = v;
      plans.set(id, (ops) => ops.variable(k));
    } else if (
      code === DIV &&
      options.fractions &&
      y &&
      op[right[id]] !== CONSTANT &&
      (graph.algebraic || y.every(hasReciprocal))
    ) {
      const k = column(y.map((c) => 1 / c));
      plans.set(id, (ops) => ops.mul(ops.leaf(left[id]), ops.variable(k)));
    }
  }
  if (plans.size === 0) return body;
  const needed = Uint8Array.from(references, (n) => (n > 0 ? 1 : 0));
  const folded = rebuild(template, needed, plans, (k) => k, leaves + columns.length);
  const count = (t: Template): number => dropUnusedVariables(t).used.filter((k) => k >= leaves).length;
  return count(folded) > count(template) ? body : { template: folded, leaves, constants: columns };
};
