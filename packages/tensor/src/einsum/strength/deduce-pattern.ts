import type { BooleanTensor } from '@filigree/sparse/eqspp';
import type { Term } from '../notation/tensor.js';
import { resolve, resolveOptions, type ResolveOptions } from '../notation/resolve.js';
import { checkKernel, indexedIn } from '../notation/check.js';
import { propagatePatterns } from './patterns.js';

/**
 * Which entries of an expression may be non-zero, for the declaration of the tensor that it is assigned to: the derivatives
 * of the Cauchy-Kovalewski procedure (Fig. 6), for example, have fewer and fewer coefficients.
 *
 * Throws `DiagnosticError` as `planKernel` says it: `notation/…`.
 *
 * @param indices the indices of the target, in the order of its dimensions
 */
export const deducePattern = (term: Term, indices: string, options?: ResolveOptions): BooleanTensor => {
  const checked = resolveOptions('deducePattern', options);
  const leaves = indexedIn(term.expr);
  const extent = (index: string): number => {
    const leaf = leaves.find((l) => l.indices.includes(index));
    return leaf === undefined ? 1 : leaf.tensor.shape[leaf.indices.indexOf(index)];
  };
  let name = 'target';
  while (leaves.some((l) => l.tensor.name === name)) name += '_';
  const target = { tensor: { name, shape: [...indices].map(extent) }, indices };
  const { assignments } = checkKernel({
    name: 'deducePattern',
    assignments: [{ target, add: false, value: term.expr }],
  });
  return propagatePatterns(resolve(assignments[0], checked).root).pattern;
};
