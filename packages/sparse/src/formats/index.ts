export * from './patterns/csr.js';
export { coo, cooFromCsr, type CooPattern } from './patterns/coo.js';
export { cscFromCsr, csrFromCsc, transposePattern, type CscPattern } from './patterns/csc.js';
export { bsrFromCsr, csrFromBsr, type BsrPattern } from './patterns/bsr.js';
export { csrFromTriplets, type Assembly } from './patterns/triplets.js';
export { gather, type Rearranged } from './patterns/gather.js';
export { diagonalEntries, diagonalPattern, findEntry, identityPattern } from './patterns/special.js';
export { checkCsr } from './patterns/check.js';
export { comparePatterns, samePattern } from './patterns/compare.js';
export { patternStats, type PatternStats } from './patterns/stats.js';
export { spy } from './patterns/spy.js';
export type { FileField, MatrixFile, ReadOptions, ReadResult, Symmetry } from './files/matrix-file.js';
export { readSpec } from './files/matrix-file.js';
export { readMatrixMarket } from './files/matrix-market-read.js';
export { writeMatrixMarket, type MatrixMarketOptions } from './files/matrix-market-write.js';
export { readHarwellBoeing } from './files/harwell-boeing-read.js';
export { writeHarwellBoeing, type HarwellBoeingOptions } from './files/harwell-boeing-write.js';
export * from './algebra/ring.js';
export { float32Ring, numberRing } from './algebra/number-ring.js';
export { countProducts, intersectionPattern, productPattern, sumPattern } from './algebra/pattern-algebra.js';
export { countPowerFlops, multiply, power, productValues } from './algebra/multiply.js';
export {
  add,
  elementwiseProduct,
  neg,
  negatedValues,
  scale,
  scaledValues,
  sub,
  sumValues,
} from './algebra/elementwise.js';
export { assemble, diagonalMatrix, diagonalOf, subBlock, transpose } from './algebra/structure.js';
export { namesOf, type Expr, type ExprTree } from './expressions/tree.js';
export { parseExpr } from './expressions/parse.js';
export type { Bindings } from './expressions/fold.js';
export { evaluateExpr } from './expressions/evaluate.js';
export { planExpr, type ExprPlan, type ExprPlanOptions, type ExprStep } from './expressions/plan.js';
