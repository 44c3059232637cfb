import type { GemmSpec, GemmTarget } from './gemm-spec.js';
import { planGemm } from './plan-gemm.js';

/**
 * Floating-point operations that the code of `lowerGemm` executes for a product: two for each lane of a multiplication and
 * addition, rows that are computed for the sake of whole vectors included, and one for each lane that alpha scales.
 */
export const gemmFlops = (spec: GemmSpec, target: GemmTarget): number => {
  const { multiplyAdds, pieces, spec: computed } = planGemm(spec, target);
  const results = multiplyAdds === 0 ? 0 : pieces.starts.length * computed.n;
  const scaled = spec.alpha === 1 || spec.alpha === -1 ? 0 : results;
  return pieces.lanes * (2 * multiplyAdds + scaled);
};
