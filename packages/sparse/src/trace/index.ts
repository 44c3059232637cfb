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
export { packValues, type KernelOptions, type SparseKernel } from './code/kernel.js';
export { spmvKernel, type SpmvKernel } from './code/spmv.js';
export type { TileGroup, TilePlan, TileRegion } from './code/tiles/tile-plan.js';
export type { Counts, TileForm } from './code/tiles/tile.js';
export { spmmKernel } from './code/spmm.js';
export { sddmmKernel } from './code/sddmm.js';
export { solveKernel, type SolveOptions } from './code/solve.js';
export { restrictPieces, type Constraint } from './code/restrict.js';
export { pieceKernel, spmvFromPieces, type PieceStatement } from './code/pieces.js';
