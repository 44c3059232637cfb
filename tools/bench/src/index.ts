export * from './measure.js';
export * from './machine.js';
export * from './bandwidth.js';
export * from './table.js';
export * from './native/baseline.js';
export * from './native/toolchain.js';
export { baselineFlags } from './native/build.js';
export * from './plain-sparse.js';
export * from './expressions.js';
export * from './programs.js';
export * from './cases.js';
export * from './bench.js';
export { filigreeProvider, problemOf, type FiligreeOptions } from './filigree.js';
export { runChild, type ChildOutcome } from './run-child.js';
export { ABLATION_COLUMNS, ablationSections, type TableOptions } from './ablation-table.js';
export { backendSections } from './backends-table.js';
export { compileSections } from './compile-table.js';
export { COMPILE_CASES, TABLE_CASES, tableCase, type TableCase } from './table-cases.js';
export { APPLICATIONS, applicationCase, type ApplicationCase, type ApplicationName } from './fields/applications.js';
export {
  measureApplication,
  OPTIMISER_PARTS,
  TABLE_PARTS,
  type ApplicationResult,
} from './fields/measure-application.js';
export { measureMicro, type MicroResult } from './fields/micro.js';
export { fieldTables, type FieldTableOptions, type FieldTables } from './fields/field-table.js';
export { measureMatrix, type MatrixResult, type MeasureMatrix } from './trace/matrix-result.js';
export { categoriesSection, limitsSection, piecesHistogram, setSection } from './trace/pieces-sections.js';
export { instructionCounter, type InstructionCounter, type Instructions } from './trace/instructions.js';
export { instructionSections, speedupPicture } from './trace/instructions-section.js';
export { eachMatrixSection, spmvSections } from './trace/spmv-sections.js';
export { uzpSections } from './trace/uzp-section.js';
export { measureLina, measureSeissol, planningMs, sizeFor, type TensorSpeed } from './tensor/measure-tensors.js';
export { PAPER_PEAK, paperRow } from './tensor/paper.js';
export { linaSection, planningTable, seissolSection, tensorChart } from './tensor/tensor-table.js';
export { executedOperations } from './executed-operations.js';
export { growthSvg, type Growth } from './growth-svg.js';
export { nativeSmoke, type NativeSmoke, type SmokeSetup } from './derivatives/smoke-native.js';
export { dirichletOf, stvkOf, WHATS, type FaceEnergy, type What } from './derivatives/face-energies.js';
export { faceContenders, type FaceContenders } from './derivatives/face-contenders.js';
