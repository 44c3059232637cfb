import { COST } from '../decompose/codes.js';
import type { Template } from '../harvest/template.js';

/** Operations a memory access from which lanes pay, measured on gathers of f64 into four lanes. */
const LANES_PAY = 2;

/** Operations of an instance, in units of one addition. */
export const operationsOf = ({ graph }: Template): number => {
  let sum = 0;
  for (let id = 0; id < graph.length; id++) sum += COST[graph.op[id]];
  return sum;
};

/** Whether vector lanes pay for instances that load and store so many values one by one, through tables. */
export const payOnLanes = (template: Template, accesses: number): boolean =>
  operationsOf(template) >= LANES_PAY * accesses;
