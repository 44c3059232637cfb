import { Graph } from '@filigree/ir';
import { ADD, ARITY, ARMS } from '../decompose/codes.js';
import type { SimplifyOptions } from '../options.js';
import type { Rule } from './sweep.js';

/** Fractions p/q that expressions are found to equal have |p|, q up to this. */
const LARGEST = 16;

/**
 * Constants found by hash (App. D): an expression with the algebraic hash of a small fraction is that fraction, whatever
 * it looks like. Small integers are found when a graph is built. A quotient that is 0/0 at some input loses its NaN.
 */
export const constants =
  (options: SimplifyOptions): Rule =>
  ({ graph }) => {
    const { op } = graph;
    const known = fractions();
    return (id) => {
      const code = op[id];
      if (ARITY[code] === 0 || code === ARMS || (options.keepSums && code === ADD)) return undefined;
      const value = known.get(graph.algebraicHash(id).join());
      return value === undefined ? undefined : { interior: [], plan: (ops) => ops.constant(value) };
    };
  };

let table: ReadonlyMap<string, number> | undefined;

/** p/q by algebraic hash; made when first asked for. */
const fractions = (): ReadonlyMap<string, number> => {
  if (table) return table;
  const graph = new Graph({ arithmetic: 'algebraic' });
  const x = graph.variable();
  const values = new Map<string, number>();
  /* px/qx rather than p/q: the quotient of two numbers would be rounded before it is hashed. */
  for (let q = 2; q <= LARGEST; q++)
    for (let p = 1; p <= LARGEST; p++) {
      const quotient = graph.div(graph.mul(graph.constant(p), x), graph.mul(graph.constant(q), x));
      for (const sign of [1, -1]) {
        const key = graph.algebraicHash(sign > 0 ? quotient : graph.neg(quotient)).join();
        if (!values.has(key)) values.set(key, (sign * p) / q);
      }
    }
  table = values;
  return table;
};
