export * from './finding.js';
export { lifeBytes } from './life/bytes.js';
export { lifeOf, type LifeStorage } from './life/kernels.js';
export { lifeRule, type LifeRule } from './life/rule.js';
export { NATIVE_FIELDS, nativeFlags, type DType } from './native/library.js';
export { lame, type MakeMpm, type Mpm, type MpmSetup, type MpmState } from './mpm/mpm.js';
export { referenceMpm } from './mpm/reference.js';
export { checkMpm, farthestApart, totals, type MpmCheckOptions, type MpmTotals } from './mpm/check.js';
export { nativeMpm, type NativeMpm } from './mpm/native.js';
export { mpmPicture } from './mpm/picture.js';
export { mpm2dSetup, spinning2d, type Mpm2dOptions } from './mpm2d/setup.js';
export { mpm3dSetup, spinning3d, type Mpm3dOptions } from './mpm3d/setup.js';
export {
  eigenProblem,
  poissonSetup,
  type MakePoisson,
  type PoissonOptions,
  type PoissonResult,
  type PoissonSetup,
  type PoissonSolver,
} from './mgpcg/setup.js';
export { referencePoisson, residualNorm } from './mgpcg/reference.js';
export { checkPoisson, type PoissonCheckOptions } from './mgpcg/check.js';
export { nativePoisson, type NativePoisson } from './mgpcg/native.js';
export { poissonPicture } from './mgpcg/picture.js';
export {
  boxSetup,
  femSetup,
  type FemOptions,
  type FemResult,
  type FemSetup,
  type FemSolver,
  type MakeFem,
} from './fem/setup.js';
export { referenceFem } from './fem/reference.js';
export { checkFem, type FemCheckOptions } from './fem/check.js';
export { nativeFem, type NativeFem } from './fem/native.js';
export { femPicture } from './fem/picture.js';
export {
  CHANNELS,
  cnnSetup,
  withRandomNumbers,
  type Cnn,
  type CnnOptions,
  type CnnSetup,
  type MakeCnn,
} from './sparse-cnn/setup.js';
export { referenceCnn } from './sparse-cnn/reference.js';
export { checkCnn, type CnnCheckOptions } from './sparse-cnn/check.js';
export { nativeCnn, type NativeCnn } from './sparse-cnn/native.js';
export { cnnPicture } from './sparse-cnn/picture.js';
export {
  pathTracerSetup,
  type Cloud,
  type MakeRenderer,
  type PathTracerOptions,
  type Renderer,
  type View,
} from './path-tracer/setup.js';
export { referenceRenderer } from './path-tracer/reference.js';
export { checkPathTracer } from './path-tracer/check.js';
export { nativeRenderer, type NativeRenderer } from './path-tracer/native.js';
export { pathTracerPicture } from './path-tracer/picture.js';
export {
  expectedPairs,
  STRUCTURE_NAMES,
  structures,
  type Structure,
  type StructureName,
} from './structures/structures.js';
export { structuresPicture } from './structures/picture.js';
export { linesOfCode } from './lines-of-code.js';
export { inGroups, LAYOUTS, type Blocks, type LayoutName } from './layouts.js';
export type { CompileOptions } from './compile-options.js';
export { mpm2d } from './mpm2d/kernels.js';
export { mpm3d } from './mpm3d/kernels.js';
export { mgpcg } from './mgpcg/kernels.js';
export { fem } from './fem/kernels.js';
export { sparseCnn } from './sparse-cnn/kernels.js';
export { pathTracer } from './path-tracer/kernels.js';
export { compiledMpm, type CompiledMpm } from './mpm/compiled.js';
export { compiledPoisson, type CompiledPoisson } from './mgpcg/compiled.js';
export { compiledFem } from './fem/compiled.js';
export { compiledCnn } from './sparse-cnn/compiled.js';
export { compiledRenderer } from './path-tracer/compiled.js';
export type { QuantLoop } from './quant/quant-loop.js';
export { QUANT_LOOPS } from './quant/quant-loops.js';
export { distance, total } from './smoke/check.js';
export { compiledSmoke, smokeBytes, type CompiledSmoke } from './smoke/compiled.js';
export type { SmokeSchemeName } from './smoke/schemes.js';
export { smokeSetup } from './smoke/setup.js';
export { compiledQuantMpm, type CompiledQuantMpm } from './mpm-quant/compiled.js';
export type { Transfer } from './mpm-quant/kernels.js';
export { mpmCase } from './quant-search/mpm-case.js';
export type { SearchCase } from './quant-search/search-case.js';
export { smokeCase } from './quant-search/smoke-case.js';
