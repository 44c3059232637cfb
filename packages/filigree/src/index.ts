export { compile, type CompileOptions, type NumericProgram } from './api/compile.js';
export { compileExpression, type ExpressionOptions } from './api/compile-expression.js';
export type { CompiledProgram, CompileStats, NumericArray } from './api/compiled-program.js';
export type {
  ArrayOf,
  NumericContext,
  NumericInputs,
  NumericOutput,
  SparseMath,
  SparseMatrix,
} from './api/numeric-program.js';
export { session, type SessionOptions } from './api/session.js';
export type { Session } from '@filigree/runtime';
export { openMemory, type OpenMemoryOptions } from './api/open-memory.js';
export { backends, resolveBackend, type BackendName } from './api/backends.js';
export { mergeOptions, type OptionOverrides } from './api/options.js';
export { ABLATIONS, ablate, parseAblation, type Ablation } from './api/ablation.js';
export type { Stage } from './api/build.js';
export {
  quantSearch,
  quantSearchText,
  type QuantSearchOptions,
  type QuantSearchResult,
  type QuantTrial,
} from './api/quant-search/quant-search.js';
export { program, type FieldProgram, type FieldProgramOptions } from './api/program.js';
export { ablateFields, FIELD_ABLATIONS, GRAPH_PASSES, type FieldAblation } from './api/field-ablation.js';
export type { GraphPass, QueueOptions, QueueReport } from '@filigree/runtime';
export { readBytes, readBytesSync } from './files/bytes.js';
export { readMatrixFile, readMatrix } from './files/read-matrix.js';
export { loadFields, saveFields } from './files/fields.js';
export { writeBytes } from './files/write-bytes.js';
export type { Example, ExampleOptions, ExampleResult, Gallery } from './gallery.js';
export {
  ARITHMETICS,
  DiagnosticError,
  formatDiagnostic,
  orThrow,
  symbolicMath,
  type Arithmetic,
  type Diagnostic,
  type Diagnostics,
  type Num,
} from '@filigree/ir';
export { symbolic } from '@filigree/lang/numeric';
export {
  plainElements,
  symbolicRing,
  type ElementsWord,
  type InputShape,
  type Program,
  type SpecializeOptions,
} from '@filigree/specialize';
export {
  csrFromTriplets,
  diagonalPattern,
  identityPattern,
  readHarwellBoeing,
  readMatrixMarket,
  writeMatrixMarket,
  type Csr,
  type CsrPattern,
} from '@filigree/sparse/formats';
export * from './kernels.js';
export {
  compileTensors,
  declareKernel,
  einsum,
  type CompiledEinsum,
  type EinsumOptions,
  type TensorCompileOptions,
} from './api/tensors/compile.js';
export {
  compilePlans,
  type TensorData,
  type TensorKernel,
  type TensorOptions,
  type TensorProgram,
  type TensorRun,
} from './api/tensors/program.js';
export { cppProject, type CppProjectOptions } from './api/tensors/cpp-project.js';
export type { TensorFacts } from './api/tensors/declare.js';
export { machineTarget, tensorBackend, type GemmLibrary, type TensorBackend } from './api/tensors/target.js';
export { measurePeak, peakMeter, type PeakMeter } from './api/tensors/peak.js';
export * from './tensors.js';
