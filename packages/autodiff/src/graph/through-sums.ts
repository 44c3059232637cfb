import type { Graph } from '@filigree/ir';
import type { Csr } from '@filigree/sparse/formats';
import type { SumsOfBodies } from './bodies.js';
import { NONE } from './guarded.js';
import { Guards } from './guards.js';
import { Products } from './products.js';
import { isZero, type Term } from './terms.js';

/** What is known of a function f of sums s and of variables x, all of them taken as independent, and of the sums as functions of the variables. */
export interface Outer {
  /** Second derivatives of f: the lower half, by the sums and then the variables. */
  readonly hessian: Csr<Int32Array>;
  /** The first derivatives of the sums: a row for each. */
  readonly jacobian: Csr<Int32Array>;
  /** The lower half of the second derivatives of all sums, each times the derivative of f by it; `undefined` where there are none. */
  readonly inner: Csr<Int32Array> | undefined;
}

/** The sums, each times what f changes by it: its first and second derivatives are what those of f have beside products. */
export const weighted = (graph: Graph, sums: readonly number[], by: Int32Array): readonly Term[] => {
  const guards = new Guards(graph);
  return sums.flatMap((node, k) => {
    const { value, condition } = guards.of(by[k]);
    return isZero(graph, by[k]) ? [] : [{ node, factor: value, condition }];
  });
};

/**
 * The lower half of the second derivatives of f(s(x), x), by the chain rule: with J of the sums, Jᵀ f_ss J, Jᵀ f_sx and its transpose, f_xx, and those of the sums, weighted.
 * So pairs of variables are multiplied, and not pairs of terms. f_ss J is made first, but for what has a condition.
 */
export const composed = (
  graph: Graph,
  { hessian, jacobian, inner }: Outer,
  sums: SumsOfBodies | undefined,
): Csr<Int32Array> => {
  const { rows: count, cols: variables } = jacobian.pattern;
  const forEachOf = (m: Csr<Int32Array>, row: number, visit: (col: number, node: number) => void): void => {
    for (let e = m.pattern.rowPtr[row]; e < m.pattern.rowPtr[row + 1]; e++)
      if (!isZero(graph, m.values[e])) visit(m.pattern.colIdx[e], m.values[e]);
  };
  const guards = new Guards(graph);
  const scaled = new Products(graph, guards);
  const all = new Products(graph, guards);
  const add = (i: number, j: number, ...factors: readonly number[]): void =>
    all.add(Math.max(i, j), Math.min(i, j), ...factors);
  for (let a = 0; a < count; a++)
    forEachOf(hessian, a, (b, by) => {
      if (guards.of(by).condition === NONE) {
        forEachOf(jacobian, b, (j, node) => scaled.add(a, j, by, node));
        if (a !== b) forEachOf(jacobian, a, (j, node) => scaled.add(b, j, by, node));
        return;
      }
      /* Of two sums that are not one, both orders count, and meet on the diagonal. */
      forEachOf(jacobian, a, (i, left) =>
        forEachOf(jacobian, b, (j, right) => {
          if (a === b && j > i) return;
          add(i, j, by, left, right);
          if (a !== b && i === j) add(i, j, by, left, right);
        }),
      );
    });
  const product = scaled.matrix(count, variables, sums);
  for (let a = 0; a < count; a++)
    forEachOf(jacobian, a, (i, left) =>
      forEachOf(product, a, (j, right) => {
        if (j <= i) all.add(i, j, left, right);
      }),
    );
  for (let i = 0; i < variables; i++)
    forEachOf(hessian, count + i, (b, by) => {
      if (b >= count) return add(i, b - count, by);
      forEachOf(jacobian, b, (j, node) => {
        add(i, j, by, node);
        if (i === j) add(i, j, by, node);
      });
    });
  if (inner) for (let i = 0; i < variables; i++) forEachOf(inner, i, (j, node) => all.add(i, j, node));
  return all.matrix(variables, variables, sums);
};
