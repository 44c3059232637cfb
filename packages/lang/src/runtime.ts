/* What rewritten modules import: no parser here. */
export { bindOps, type Bound } from './ops/bind.js';
export { mark, markMembers } from './ops/mark.js';
export { keep } from './ops/kept.js';
export { defaultOps } from './ops/default-ops.js';
export type { NumericOps, Operand } from './ops/numeric-ops.js';
