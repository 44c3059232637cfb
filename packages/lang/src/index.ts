export { symbolic, type SymbolicOptions } from './symbolic/symbolic.js';
export type { Lift, Num } from './symbolic/lift.js';
export { transform, type TransformOptions, type TransformResult } from './plugin/transform.js';
export { plainOps } from './ops/plain-ops.js';
export { defaultOps } from './ops/default-ops.js';
export type { NumericOps, Operand } from './ops/numeric-ops.js';
export * from './vocabulary/index.js';
export { launchSeed } from './vocabulary/random.js';
export { kernel, type KernelDef, type KernelOptions } from './kernel/kernel.js';
export {
  array,
  type ArrayDecl,
  type KernelArg,
  type KernelFunction,
  type LaunchArgs,
  type Params,
} from './kernel/arguments.js';
export {
  lowerKernel,
  lowerKernels,
  type KernelSignature,
  type LaunchParam,
  type LoweredKernel,
  type LoweredKernels,
} from './kernel/lower.js';
export { conjugateGradients, type ConjugateGradients, type KrylovFields } from './library/conjugate-gradients.js';
export { solveConjugateGradients, type KrylovLaunches, type KrylovOptions } from './library/solve.js';
