export type { Baseline, Repeated, Running } from './baseline.js';
export type { NativeSource } from './native-library.js';
export type { Slab } from './slab.js';
export { prepare } from './prepare.js';
export { eigen, type EigenProblem, type RunningEigen } from './eigen/eigen.js';
export { libxsmm, loops, type EinsumProblem, type RunningEinsum } from './einsum/einsum.js';
export {
  compressedRows,
  type CompiledKernel,
  type ProductProblem,
  type RunningProducts,
  type Timer,
} from './compressed-rows/compressed-rows.js';
export { csrKernel } from './compressed-rows/csr-kernel.js';
export { kernelLoop, type KernelLoopProblem } from './kernel-loop.js';
