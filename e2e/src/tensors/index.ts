export { acousticWaves, elasticWaves, planeWave, starPattern, type Solution, type Waves } from './waves.js';
export { gaussLegendre, gaussLobatto, type Quadrature } from './quadrature.js';
export type { Steps } from './steps.js';
export { readMatrices, type Matrices } from './seissol/read-matrices.js';
export { dubinerMatrices } from './seissol/dubiner-matrices.js';
export { periodicTets, SIDE_CORNERS, type PeriodicTets } from './seissol/periodic-tets.js';
export { tetElements, type TetElements } from './seissol/elements.js';
export { tetModes, type Modes } from './seissol/modes.js';
export { referenceTets } from './seissol/reference.js';
export { nodalBasis, type NodalBasis } from './lina/nodal-matrices.js';
export { cellCoefficients, cellNeighbours, nodalError, nodalValues, type CellCoefficients } from './lina/cells.js';
export { referenceCells } from './lina/reference.js';
export { tetsSetup, simulation, type TetsOptions, type TetsSetup } from './seissol/setup.js';
export { cellsSetup, type CellsOptions, type CellsSetup } from './lina/setup.js';
export { seissolKernels, type SeissolKernels, type SeissolOptions } from './seissol/kernels.js';
export { linaKernels, type LinaKernels, type LinaOptions } from './lina/kernels.js';
export type { ElementLayouts } from './element-kernels.js';
export { flopsOfStep, taylorScalars, type Solver, type SolverProgram } from './solver.js';
export {
  checkedSolver,
  librarySolver,
  type CheckedSolver,
  type LibrarySolver,
  type SolverProblem,
} from './checked-solver.js';
export { observedOrder, travel, type Travelled } from './convergence.js';
export { compileTets, SEISSOL_LAYOUTS, TET_PARTS, type TetPart, type TetsProgramOptions } from './seissol/compiled.js';
export { compileCells, CELL_PARTS, LINA_LAYOUTS, type CellPart, type CellsProgramOptions } from './lina/compiled.js';
export { compileKernels, type CompileKernelsOptions } from './compile-kernels.js';
