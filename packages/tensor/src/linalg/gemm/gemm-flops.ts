import type { GemmSpec, GemmTarget } from '../gemm-spec.js';
import { planGemm } from './plan-gemm.js';
import type { GemmPlan } from './gemm-plan.js';

/**
 * Floating-point operations that the code of `lowerGemm` executes for a single product: two for each lane of a
 * multiply-add, including rows computed only to fill whole vectors, and one for each lane that alpha scales.
 */
export const gemmFlops = (spec: GemmSpec, target: GemmTarget): number => executedFlops(planGemm(spec, target));

/** The same for a plan. */
export const executedFlops = ({ multiplyAdds, pieces, spec, looped }: GemmPlan): number => {
  /* Between two sparse matrices alpha scales the entries of B. */
  const entries = looped === 'entries' && spec.b.kind === 'sparse' ? spec.b.positions.length : undefined;
  const results = entries ?? (multiplyAdds === 0 ? 0 : pieces.starts.length * spec.n);
  const scaled = spec.alpha === 1 || spec.alpha === -1 ? 0 : results;
  return pieces.lanes * (2 * multiplyAdds + scaled);
};
