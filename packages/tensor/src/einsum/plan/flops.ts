import { executedFlops, gemmFlops } from '../../linalg/gemm/gemm-flops.js';
import type { GemmTarget } from '../../linalg/gemm-spec.js';
import { planProducts } from '../../linalg/gemm/plan-products.js';
import { indexedIn } from '../notation/check.js';
import type { Expr, KernelDecl } from '../notation/expression.js';
import type { Action, Flops } from './plan.js';
import type { GemmPlan } from '../../linalg/gemm/gemm-plan.js';

/** The flops of a kernel's formulas and of its actions. */
export const flopsOf = (decl: KernelDecl, actions: readonly Action[], target: GemmTarget): Omit<Flops, 'nonzero'> => ({
  hardware: hardwareFlops(actions, target),
  naive: decl.assignments.reduce((n, { target: t, add, value }) => {
    const extents = new Map<string, number>();
    for (const { tensor, indices } of [t, ...indexedIn(value)])
      [...indices].forEach((i, d) => extents.set(i, tensor.shape[d]));
    const entries = [...t.indices].reduce((v, i) => v * extents.get(i)!, 1);
    return n + naiveFlops(value, extents) + (add ? entries : 0);
  }, 0),
});

const hardwareFlops = (actions: readonly Action[], target: GemmTarget): number => {
  const products = actions.flatMap(({ operation, ranges }) =>
    operation.kind === 'log' ? [{ spec: operation.gemm, runs: valuesOf(operation.loops, ranges) }] : [],
  );
  const plans = planProducts(
    products.filter(({ runs }) => runs > 0),
    target,
  ).values();
  return actions.reduce((n, a) => {
    const runs = a.operation.kind === 'log' ? valuesOf(a.operation.loops, a.ranges) : 0;
    return n + (runs > 0 ? runs * executedFlops(plans.next().value as GemmPlan) : actionFlops(a, target));
  }, 0);
};

/** What an action executes if it is the whole kernel; matrix products include the padding of their rows. */
export const actionFlops = ({ target, operation, ranges, add, scale }: Action, on: GemmTarget): number => {
  const over = (indices: Iterable<string>): number => valuesOf(indices, ranges);
  const scales = (scale.factor === 1 ? 0 : 1) + scale.scalars.length;
  switch (operation.kind) {
    case 'copyscaleadd':
      return over(operation.source.indices) * (scales + (add ? 1 : 0));
    case 'indexsum':
      return over(operation.source.indices) * (1 + scales);
    case 'product': {
      /* As it is executed: a sum begins at zero. */
      const summed = [...operation.left.indices].some((i) => !target.indices.includes(i));
      const products = over(new Set(operation.left.indices + operation.right.indices)) * (summed ? 2 : 1);
      return products + over(target.indices) * (scales + (add ? 1 : 0));
    }
    case 'log':
      return over(operation.loops) * gemmFlops(operation.gemm, on);
  }
};

/** Values that the indices take together. */
const valuesOf = (indices: Iterable<string>, ranges: Action['ranges']): number =>
  [...indices].reduce((v, i) => v * (ranges[i][1] - ranges[i][0]), 1);

/** Nested loops over all indices of each product; a multiplication for each factor but one, and an addition. */
const naiveFlops = (e: Expr, extents: ReadonlyMap<string, number>): number => {
  const over = (x: Expr): number =>
    [...new Set(indexedIn(x).flatMap((i) => [...i.indices]))].reduce((v, i) => v * extents.get(i)!, 1);
  switch (e.kind) {
    case 'indexed':
      return 0;
    case 'scale':
      return over(e.of) + naiveFlops(e.of, extents);
    case 'add':
      return e.terms.reduce((n, t) => n + naiveFlops(t, extents), 0) + (e.terms.length - 1) * over(e.terms[0]);
    case 'einsum':
      return over(e) * e.factors.length + e.factors.reduce((n, f) => n + naiveFlops(f, extents), 0);
  }
};
