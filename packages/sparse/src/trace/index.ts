export {
  coversExactly,
  evaluateAffine,
  expandPieces,
  forEachPoint,
  type Affine,
  type Face,
  type Level,
  type Piece,
} from './piece.js';
export { reconstruct, type ReconstructOptions, type Reconstruction } from './reconstruct.js';
export {
  reconstructPattern,
  traceOrders,
  tracePattern,
  type PatternOptions,
  type PatternReconstruction,
  type PatternTrace,
  type TraceOrder,
} from './order.js';
export { groupByShape, type PieceGroup } from './group.js';
export { printPiece } from './print.js';
export type { KernelOptions, SparseKernel } from './code/kernel.js';
export { planRows, type Columns, type Progression, type Region, type RowPlan, type Segments } from './code/row-plan.js';
export { spmvKernel } from './code/spmv.js';
export { spmmKernel } from './code/spmm.js';
export { sddmmKernel } from './code/sddmm.js';
export { solveKernel, type SolveOptions } from './code/solve.js';
export { pieceKernel, spmvFromPieces, type PieceStatement } from './code/pieces.js';
