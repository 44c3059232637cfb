export { loadFrontEnd } from '#parts';
export { loadRareWords } from '#rare';
export { withFrontEnd } from './with-front-end.js';
export * from './vocabulary/index.js';
export { launchSeed } from '@filigree/ir';
export type { Word } from './extension.js';
export { kernel, type KernelDef, type KernelOptions } from './kernel.js';
export {
  array,
  matrix,
  vector,
  type ArrayDecl,
  type KernelArg,
  type KernelFunction,
  type KernelResult,
  type LaunchArgs,
  type LaunchResult,
  type Params,
  type ShapedDecl,
  type Sides,
} from './arguments.js';
export {
  lowerKernel,
  lowerKernels,
  type KernelSignature,
  type LaunchParam,
  type LoweredKernel,
  type LoweredKernels,
} from './lower.js';
export { kernelKey, type KernelKey, type KnownFiles } from './kernel-key.js';
export { shownIn, type Shown } from './shown.js';
export type { NotePart, Notes, NoteSite } from './notes.js';
export { conjugateGradients, type ConjugateGradients, type KrylovFields } from './library/conjugate-gradients.js';
export { solveConjugateGradients, type KrylovLaunches, type KrylovOptions } from './library/solve.js';
