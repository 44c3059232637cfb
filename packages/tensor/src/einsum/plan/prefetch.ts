import type { Layout } from '../layout/layout.js';
import type { TensorDecl } from '../notation/expression.js';
import type { Action } from './plan.js';

/**
 * Gives each tensor that the next call will read to the loop over products of matrices whose result is most like it in
 * size (§4.6), each to at most one: storage is then asked for along the stores to the result.
 */
export const assignPrefetch = (
  actions: readonly Action[],
  tensors: readonly TensorDecl[],
  layoutOf: (tensor: TensorDecl) => Layout,
): readonly Action[] => {
  const out = [...actions];
  for (const tensor of tensors) {
    const { size } = layoutOf(tensor);
    let best: number | undefined;
    const distance = (i: number): number => Math.abs(out[i].target.layout.size - size);
    out.forEach((a, i) => {
      if (a.operation.kind !== 'log' || a.prefetch !== undefined) return;
      if (best === undefined || distance(i) < distance(best)) best = i;
    });
    if (best !== undefined) out[best] = { ...out[best], prefetch: tensor.name };
  }
  return out;
};
