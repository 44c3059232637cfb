import { Sym, algebraOfGraph, graphCodes, type Graph } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { Triplets } from './assemble.js';

const { CONSTANT, SELECT } = graphCodes;

/** What is known of a function f of sums s and of variables x, all of them taken as independent. */
export interface Outer {
  /** By each of the sums. */
  readonly gradient: Int32Array;
  /** The lower half, by the sums and then the variables. */
  readonly hessian: Csr<Int32Array>;
}

/** A sum as a function of the variables. */
export interface Inner {
  readonly gradient: Int32Array;
  /** The lower half. */
  readonly hessian: Csr<Int32Array>;
}

/**
 * The lower half of the second derivatives of f(s(x), x): with the partial derivatives of f, and with ∇ of each sum and 1 for each variable, f_ab ∇a ∇bᵀ for each two of
 * them, and f_a times the second derivatives of each sum. So pairs of variables are multiplied, and not pairs of terms.
 */
export const composed = (graph: Graph, outer: Outer, inner: readonly Inner[]): Triplets => {
  const s = algebraOfGraph(graph);
  const sym = (id: number): Sym => new Sym(graph, id);
  const zero = graph.constant(0);
  const isZero = (id: number): boolean => graph.op[id] === CONSTANT && graph.constantValue(id) === 0;
  /* A factor that has a condition is none where that does not hold, whatever the other is: 0·∞ is NaN. */
  const product = (a: number, b: number): number => {
    if (isGuarded(graph, a)) return graph.select(graph.left[a], product(graph.left[graph.right[a]], b), zero);
    if (isGuarded(graph, b)) return graph.select(graph.left[b], product(a, graph.left[graph.right[b]]), zero);
    return s.mul(sym(a), sym(b)).id;
  };
  const one = graph.constant(1);
  const gradients = inner.map(({ gradient }) =>
    [...gradient].flatMap((node, at): readonly (readonly [number, number])[] => (isZero(node) ? [] : [[at, node]])),
  );
  const gradientOf = (k: number): readonly (readonly [number, number])[] =>
    k < inner.length ? gradients[k] : [[k - inner.length, one]];

  const rows: number[] = [];
  const cols: number[] = [];
  const nodes: number[] = [];
  const add = (i: number, j: number, node: number): void => {
    rows.push(Math.max(i, j));
    cols.push(Math.min(i, j));
    nodes.push(node);
  };
  const { pattern, values } = outer.hessian;
  for (let a = 0; a < pattern.rows; a++)
    for (let e = pattern.rowPtr[a]; e < pattern.rowPtr[a + 1]; e++) {
      const b = pattern.colIdx[e];
      for (const [i, by] of gradientOf(a)) {
        const scaled = product(values[e], by);
        for (const [j, node] of gradientOf(b)) {
          if (a === b && j > i) break;
          const entry = product(scaled, node);
          add(i, j, entry);
          /* Of two that are not one, both orders count, and meet on the diagonal. */
          if (a !== b && i === j) add(i, i, entry);
        }
      }
    }
  inner.forEach(({ hessian: own }, k) => {
    const factor = outer.gradient[k];
    if (isZero(factor)) return;
    for (let i = 0; i < own.pattern.rows; i++)
      for (let e = own.pattern.rowPtr[i]; e < own.pattern.rowPtr[i + 1]; e++)
        add(i, own.pattern.colIdx[e], product(factor, own.values[e]));
  });
  return { rows, cols, nodes };
};

/** Whether a node is a value under a condition, and else 0. */
const isGuarded = (graph: Graph, id: number): boolean => {
  if (graph.op[id] !== SELECT) return false;
  const otherwise = graph.right[graph.right[id]];
  return graph.op[otherwise] === CONSTANT && graph.constantValue(otherwise) === 0;
};
