export type { GemmSpec, GemmTarget, MatrixView } from './gemm-spec.js';
export { gemmTargets, targetOption } from './gemm/targets.js';
export { gemmFlops } from './gemm/gemm-flops.js';
export { lowerGemm } from './gemm/lower-gemm.js';
export { linalg, gemmBuffers, gemmOperands, type GemmOperands } from './linalg.js';
export { gemmAttrs, gemmSpecOf } from './gemm-attrs.js';
export { buildGemm, type GemmRef, type GemmRefs } from './build-gemm.js';
