export { instantiate, type Instance, type InstantiateOptions } from './instantiate.js';
export { notesOnThreads, type AskedThreads } from './notes-on-threads.js';
export { openMemory, sharingSpec, type SharingOptions } from './sharing.js';
export { session, sessionSpec, type SessionOptions } from './session/session.js';
export type { Session } from './session/contract.js';
export { inputValues } from './input-values.js';
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
export type { IndexBox as Box } from '@filigree/sparse/fields';
export type { DenseView } from './fields/dense-view.js';
export type { Indices } from './fields/indices.js';
export { loadArena, saveArena, type ArenaState } from './fields/arena-file.js';
export { graphPassNames, type GraphPass, type QueueOptions } from './program/queue/queue-options.js';
export type { QueueReport, SyncOptions } from './program/queue/report.js';
export { fieldProgram, type FieldProgram, type FieldProgramOptions } from './program/field-program.js';
export { buffersWritten } from './program/written.js';
export { pipelineSpec, type FieldPipelineOptions } from './program/field-passes.js';
export type { Launchable } from './program/launcher.js';
export { gradient, valueAndGradient, type GradientOptions, type ValueAndGradient } from './tape/value-and-gradient.js';
export { valueAndTangent, type TangentChoices, type ValueAndTangent } from './tape/value-and-tangent.js';
export { hessianProduct, type HessianProduct, type ProductOptions } from './tape/hessian-product.js';
export type { AlongArguments, TangentDeck } from './tape/tangent-deck.js';
export { solveStep, type SolveStepOptions } from './tape/solve-step.js';
export { hostStep, steps, type HostStepOptions, type StepsOptions } from './tape/steps.js';
export type { ByArgument, Tape, TapeDeck } from './tape/tape-deck.js';
export type { Launched } from './tape/recorder.js';
export {
  program,
  programSpec,
  type Fields,
  type Kernels,
  type LaunchArgsOf,
  type LaunchResultOf,
  type Program,
  type ProgramOptions,
} from './program/program.js';
