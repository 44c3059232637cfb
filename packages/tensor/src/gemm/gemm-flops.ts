import type { GemmSpec, GemmTarget } from './gemm-spec.js';

/** Floating-point operations that the code of `lowerGemm` executes for a product. */
export const gemmFlops = ({ m, n, k }: GemmSpec, _target: GemmTarget): number => 2 * m * n * k;
