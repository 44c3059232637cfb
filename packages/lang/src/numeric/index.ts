export { symbolic, type SymbolicOptions } from './symbolic/symbolic.js';
export { thrownAt } from './symbolic/thrown-at.js';
export type { Lift, Num } from './symbolic/lift.js';
export { standsIn } from '../source/spelling/origin-of.js';
export { math } from '../source/math.js';
export { plainOps } from './ops/plain-ops.js';
export { defaultOps } from './ops/default-ops.js';
export type { NumericOps, Operand } from './ops/numeric-ops.js';
