export { instantiate, type Instance, type InstantiateOptions } from './instantiate.js';
export { lifecycle, type Lifecycle, type Spoken } from './lifecycle.js';
export { availability, chooseBackend } from './choose.js';
export { evaluateRegionsInParallel, type ParallelRegionsOptions } from './regions/parallel-regions.js';
export { peakRssMB } from './peak-memory.js';
export { openArena, type Arena } from './fields/arena.js';
export {
  hostField,
  type HostField,
  type HostFieldOf,
  type MatrixHostField,
  type ScalarHostField,
  type VectorHostField,
} from './fields/host-field.js';
export type { Box } from './fields/elements.js';
export type { DenseView } from './fields/dense-view.js';
export type { Indices } from './fields/indices.js';
export { loadArena, saveArena, type ArenaState } from './fields/arena-file.js';
export { fieldProgram, type FieldProgram, type FieldProgramOptions } from './program/field-program.js';
export { fieldPipeline, pipelineSpec, type FieldPipelineOptions } from './program/field-pipeline.js';
export type { Launchable } from './program/launcher.js';
export {
  program,
  programSpec,
  type Fields,
  type Kernels,
  type LaunchArgsOf,
  type Program,
  type ProgramOptions,
} from './program/program.js';
