export { builtinPrograms, type BuiltinProgram } from './programs.js';
export {
  checkRegions,
  equationTexts,
  evaluateRegions,
  letterTexts,
  regionSteps,
  solveProgram,
  type EquationTexts,
  type RegionCheck,
  type Regions,
  type SolvedProgram,
} from './regions.js';
export type { ReadProgramOptions } from './read/read-program.js';
export type { AffineProgram, ArrayInfo, Statement } from './read/program.js';
export type { SparseInputs } from './evaluate/inputs.js';
export type { InterestRegion } from './evaluate/region.js';
export { perform as performWork } from './evaluate/perform.js';
export type { AnyWork, Platform, Steps } from './evaluate/work.js';
export { forEachRun, hasCode, type PointSet } from './sets/point-set.js';
export type { Box } from './sets/box.js';
export { resultPattern } from './results.js';
export {
  specializeRegions,
  type LoopForm,
  type SpecializedRegions,
  type SpecializeRegionsOptions,
} from './specialize/specialize.js';
