/* What rewritten modules import: no parser here. */
export type { Bound } from './numeric/ops/bind.js';
export { bindModule as bindOps } from './numeric/ops/modules.js';
export { mark, markMembers } from './numeric/ops/mark.js';
export { keep } from './source/kept.js';
export { defaultOps } from './numeric/ops/default-ops.js';
export type { NumericOps, Operand } from './numeric/ops/numeric-ops.js';
