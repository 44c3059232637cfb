export { gallery } from './gallery.js';
export { small, type Small } from './small.js';
export { withPictures } from './with-pictures.js';
export type { Problem, Values } from './problem.js';
export * from './experiment-matrices.js';
export { evaluateMatrix, matrixProblem, type NumericMatrix } from './matrix-problem.js';
export * from './element-problems.js';
export * from './mesh-problems.js';
export { maxRelError } from './max-rel-error.js';
export { meshFile } from './arguments.js';
export {
  compileProblem,
  interleavedMedians,
  runProblem,
  timeAndCheck,
  type CompileCost,
  type CompiledProblem,
  type CompileProblemOptions,
} from './run-program.js';
