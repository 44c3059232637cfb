export * from './formats/csr.js';
export { coo, cooFromCsr, type CooPattern } from './formats/coo.js';
export { cscFromCsr, csrFromCsc, transposePattern, type CscPattern } from './formats/csc.js';
export { bsrFromCsr, csrFromBsr, type BsrPattern } from './formats/bsr.js';
export { csrFromTriplets, type Assembly } from './formats/triplets.js';
export { gather, type Rearranged } from './formats/gather.js';
export { diagonalEntries, diagonalPattern, findEntry, identityPattern } from './formats/special.js';
export { checkCsr } from './formats/check.js';
export { comparePatterns, samePattern } from './formats/compare.js';
export { patternStats, type PatternStats } from './formats/stats.js';
export { spy } from './formats/spy.js';
export * from './eqspp/index.js';
export type { FileField, MatrixFile, ReadOptions, ReadResult, Symmetry } from './files/matrix-file.js';
export { readSpec } from './files/matrix-file.js';
export { readMatrixMarket } from './files/matrix-market-read.js';
export { writeMatrixMarket, type MatrixMarketOptions } from './files/matrix-market-write.js';
export { readHarwellBoeing } from './files/harwell-boeing-read.js';
export { writeHarwellBoeing, type HarwellBoeingOptions } from './files/harwell-boeing-write.js';
export * from './algebra/ring.js';
export { float32Ring, numberRing } from './algebra/number-ring.js';
export { countProducts, intersectionPattern, productPattern, sumPattern } from './algebra/pattern-algebra.js';
export { multiply, power } from './algebra/multiply.js';
export { add, elementwiseProduct, neg, scale, sub } from './algebra/elementwise.js';
export { assemble, diagonalMatrix, diagonalOf, subBlock, transpose } from './algebra/structure.js';
export { namesOf, type Expr, type ExprTree } from './expr/tree.js';
export { parseExpr } from './expr/parse.js';
export type { Bindings } from './expr/fold.js';
export { evaluateExpr } from './expr/evaluate.js';
export { planExpr, type ExprPlan, type ExprPlanOptions, type ExprStep } from './expr/plan.js';
export { i, ij, ijk, ijkl, j, k, l, type Axes, type Axis } from './layout/axes.js';
export {
  componentsOf,
  field,
  isField,
  matrixField,
  vectorField,
  type AnyField,
  type FieldDecl,
  type FieldOptions,
  type MatrixField,
  type VectorField,
} from './layout/field-decl.js';
export { fields, type ElementShape } from './layout/fields.js';
export { Branch, dense, dynamic, hash, type NodeSpec, type PoolOptions } from './layout/branch.js';
export {
  axesAbove,
  axesOf,
  isSparse,
  layout,
  layoutText,
  nodeText,
  pathTo,
  type Layout,
  type PlacedField,
  type SNode,
} from './layout/layout.js';
export { fieldDialect, structureName, valueName } from './access/field-dialect.js';
export {
  STATUS,
  STATUS_WORDS,
  HANDS,
  LINE,
  LOT,
  RESERVED_CELLS,
  arenaName,
  elementsBelow,
  poolsAround,
  storageOf,
  type List,
  type NodeStorage,
  type Pool,
  type Storage,
  type StorageOptions,
} from './storage/storage.js';
export { hashOf } from './storage/hash-of.js';
export { closeLots, givenOf, type Given } from './storage/turns.js';
export { snodeDialect } from './access/snode-dialect.js';
export { sitesOf, type Site } from './access/sites.js';
export { buildCell, buildCellPath, buildContainer } from './access/build.js';
export type { CellPath, PathOptions } from './access/path.js';
export { lowerAccess, type AccessOptions } from './access/lower-access.js';
export { lowerSNodes } from './access/lower-snodes.js';
export { simplifyAccess, type SimplifyOptions } from './access/simplify-access.js';
export { lowerFields, lowerFieldsSpec, type LowerFieldsOptions } from './lower-fields.js';
export { flattenBranches } from './loops/flatten.js';
export { lowerLoops } from './loops/lower-loops.js';
export { bytesAt, clearBytes, type Memory } from './storage/bytes.js';
export { initializeArena, initializeCell } from './storage/initialize.js';
export * from './trace/index.js';
export * from './equations/index.js';
