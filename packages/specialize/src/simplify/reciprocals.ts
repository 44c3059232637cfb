import { CONSTANT, DIV } from '../decompose/codes.js';
import type { Rule } from './sweep.js';

/**
 * Takes one reciprocal for several quotients by one divisor, and multiplies by the reciprocal of a number. Both change
 * rounding only: x / d and x · (1 / d) are NaN, infinite and 0 for the same x and d, as long as 1 / d neither overflows
 * nor loses digits, that is unless d itself comes within a factor of four of overflow or underflow.
 */
export const reciprocals: Rule = ({ graph, references }) => {
  const { op, left, right } = graph;
  const isOne = (id: number): boolean => op[id] === CONSTANT && graph.constantValue(id) === 1;
  const quotients = new Map<number, number>();
  for (let id = 0; id < graph.length; id++)
    if (references[id] > 0 && op[id] === DIV && !isOne(left[id]))
      quotients.set(right[id], (quotients.get(right[id]) ?? 0) + 1);
  return (id) => {
    if (op[id] !== DIV || isOne(left[id])) return undefined;
    const divisor = right[id];
    if (op[divisor] === CONSTANT) {
      const d = graph.constantValue(divisor);
      return hasReciprocal(d)
        ? { interior: [], plan: (ops) => ops.mul(ops.leaf(left[id]), ops.constant(1 / d)) }
        : undefined;
    }
    return (quotients.get(divisor) ?? 0) > 1
      ? { interior: [], plan: (ops) => ops.mul(ops.leaf(left[id]), ops.div(ops.constant(1), ops.leaf(divisor))) }
      : undefined;
  };
};

/** Whether a number and its reciprocal are far from overflow and underflow, in f32 as well. */
export const hasReciprocal = (d: number): boolean => Math.abs(d) >= 2 ** -124 && Math.abs(d) <= 2 ** 124;
