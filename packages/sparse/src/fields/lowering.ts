/** Kernels on fields to loops over memory: passes, and the steps that they are made of. Apart from `fields`, since whoever only runs kernels needs none of it. */
export { buildCell, buildCellPath, buildContainer } from './access/build.js';
export type { CellPath, PathOptions } from './access/path.js';
export { lowerAccess, type AccessOptions } from './access/lower-access.js';
export { lowerSNodes } from './access/lower-snodes.js';
export { simplifyAccess, type SimplifyOptions } from './access/simplify-access.js';
export { lowerFields, lowerFieldsSpec, type LowerFieldsOptions } from './lower-fields.js';
export { loadLowering } from '#lowering';
export { fieldPasses } from './field-passes.js';
export { withBeside, withBranches } from './layout/beside.js';
export { boxLoop, boxOf } from './loops/box-loop.js';
export { boxLoops } from './loops/box-loops.js';
export { flattenBranches } from './loops/flatten.js';
export { grainSpec, lowerLoops } from './loops/lower-loops.js';
export { type LoopGrain } from './loops/plan.js';
export { areIterationsApart } from './loops/apart.js';
