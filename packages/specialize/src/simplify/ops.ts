import type { Graph } from '@filigree/ir';
import { ADD, COST, DIV, MUL } from '../decompose/codes.js';

/**
 * How a rewritten expression is built. The same plan runs twice: on operations that only count, to see whether it pays,
 * and on the operations of the graph being built.
 */
export interface Ops {
  /** What stands in the result for a node of the source graph. */
  readonly leaf: (id: number) => number;
  /** Variable `k` of the result. */
  readonly variable: (k: number) => number;
  readonly constant: (value: number) => number;
  readonly add: (a: number, b: number) => number;
  readonly sub: (a: number, b: number) => number;
  readonly mul: (a: number, b: number) => number;
  readonly div: (a: number, b: number) => number;
  readonly neg: (a: number) => number;
  readonly unary: (code: number, a: number) => number;
}

/** Builds a rewritten expression; returns its node. */
export type Plan = (ops: Ops) => number;

/** Operations of `graph`; `leaf` maps a source node to its node there. */
export const graphOps = (graph: Graph, firstVariable: number, leaf: (id: number) => number): Ops => ({
  leaf,
  variable: (k) => firstVariable + k,
  constant: (value) => graph.constant(value),
  add: (a, b) => graph.add(a, b),
  sub: (a, b) => graph.sub(a, b),
  mul: (a, b) => graph.mul(a, b),
  div: (a, b) => graph.div(a, b),
  neg: (a) => graph.neg(a),
  unary: (code, a) => graph.apply(code, a),
});

/** Cost of a plan, signs apart, and the source nodes it uses. */
export const measure = (plan: Plan): { readonly cost: number; readonly leaves: readonly number[] } => {
  let cost = 0;
  const leaves = new Set<number>();
  const count = (code: number): number => {
    cost += COST[code];
    return 0;
  };
  plan({
    leaf: (id) => {
      leaves.add(id);
      return 0;
    },
    variable: () => 0,
    constant: () => 0,
    add: () => count(ADD),
    sub: () => count(ADD),
    mul: () => count(MUL),
    div: () => count(DIV),
    neg: () => 0,
    unary: count,
  });
  return { cost, leaves: [...leaves] };
};

/** xⁿ for n ≥ 1, by repeated squaring. */
export const power = (ops: Ops, x: number, n: number): number => {
  let result = -1;
  let square = x;
  for (let e = n; e > 0; e = Math.floor(e / 2)) {
    if (e % 2 === 1) result = result < 0 ? square : ops.mul(result, square);
    if (e > 1) square = ops.mul(square, square);
  }
  return result;
};

/** The product of nodes in order; `undefined` for none. */
export const productOf = (ops: Ops, nodes: readonly number[]): number | undefined =>
  nodes.length === 0 ? undefined : nodes.reduce((a, b) => ops.mul(a, b));

/** number · above / below; an absent part is 1. */
export const assemble = (ops: Ops, c: number, above: number | undefined, below: number | undefined): number => {
  if (above === undefined) return below === undefined ? ops.constant(c) : ops.div(ops.constant(c), below);
  const scaled = c === 1 ? above : c === -1 && below === undefined ? ops.neg(above) : ops.mul(ops.constant(c), above);
  return below === undefined ? scaled : ops.div(scaled, below);
};
